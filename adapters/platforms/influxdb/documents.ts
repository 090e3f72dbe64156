import { BridgeError, contractBroken, tooMuch } from '../../../src/core/errors.ts';
import { busyForNow } from './failure.ts';

const NEWLINE = 10;
const OPENING_BRACE = 123;
const EXCERPT_BYTES = 4_000;
/** A piece of 50,000 rows with a hundred columns is about half of this. */
const MAX_DOCUMENT_BYTES = 134_217_728;

/**
 * Cuts a chunked answer into its documents, one line each, and holds only one of them in memory.
 * A stream that breaks off or ends inside a line is `unavailable`, never the end of an answer (law 5). A page that is
 * not JSON is `contract-broken`. A consumer that stops early destroys the stream.
 */
export async function* documents(stream: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let pieces: Buffer[] = [];
  let byteCount = 0;
  const take = (last: Buffer): string => {
    const line = pieces.length === 0 ? last : Buffer.concat([...pieces, last], byteCount + last.length);
    pieces = [];
    byteCount = 0;
    return line.toString('utf8');
  };
  try {
    for await (const { buffer, byteOffset, byteLength } of stream) {
      const bytes = Buffer.from(buffer, byteOffset, byteLength);
      let from = 0;
      for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, from)) {
        const line = take(bytes.subarray(from, end));
        from = end + 1;
        if (line !== '') yield line;
      }
      if (from === bytes.length) continue;
      pieces.push(bytes.subarray(from));
      byteCount += bytes.length - from;
      if (pieces[0]?.[0] !== OPENING_BRACE) throw notInflux(take(Buffer.alloc(0)));
      if (byteCount > MAX_DOCUMENT_BYTES) {
        throw tooMuch(
          `InfluxDB: a piece of the answer is longer than ${MAX_DOCUMENT_BYTES} bytes; lower options.chunkSize`,
        );
      }
    }
  } catch (error) {
    throw asBrokenOff(error);
  }
  if (byteCount > 0) throw busyForNow('InfluxDB: the answer ended inside a document', 'reset');
}

/** A page that is not an answer of InfluxDB. */
export const notInflux = (text: string): BridgeError =>
  contractBroken(
    'InfluxDB: the answer is not JSON; is this the address of its HTTP API?',
    text.slice(0, EXCERPT_BYTES),
  );

/** Every error of a stream becomes a BridgeError. */
function asBrokenOff(error: unknown): BridgeError {
  if (error instanceof BridgeError) return error;
  const { code = '', message = String(error) } = error as { code?: string; message?: string };
  if (code === 'ERR_CANCELED') return new BridgeError({ code: 'cancelled' }, 'reading was cancelled', { cause: error });
  const why = code === 'ETIMEDOUT' || code === 'ECONNABORTED' ? 'time-out' : 'reset';
  return busyForNow(`InfluxDB: the answer broke off: ${message}`, why, error);
}
