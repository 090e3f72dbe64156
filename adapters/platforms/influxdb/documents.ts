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
 * not JSON is `contract-broken`. A consumer that stops early destroys the stream. The bytes of a document are good until the next one
 * is asked for.
 */
export async function* documents(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  // Reused, so that a long answer does not ask for new memory with each of its documents.
  let held: Buffer = Buffer.alloc(0);
  let byteCount = 0;
  const hold = (bytes: Buffer): void => {
    const wanted = byteCount + bytes.length;
    if (wanted > held.length) {
      const larger = Buffer.allocUnsafe(Math.max(wanted, 2 * held.length));
      held.copy(larger, 0, 0, byteCount);
      held = larger;
    }
    bytes.copy(held, byteCount);
    byteCount = wanted;
  };
  const take = (last: Buffer): Buffer => {
    if (byteCount === 0) return last;
    hold(last);
    const line = held.subarray(0, byteCount);
    byteCount = 0;
    return line;
  };
  try {
    for await (const { buffer, byteOffset, byteLength } of stream) {
      const bytes = Buffer.from(buffer, byteOffset, byteLength);
      let from = 0;
      for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, from)) {
        const line = take(bytes.subarray(from, end));
        from = end + 1;
        if (line.length > 0) yield line;
      }
      if (from === bytes.length) continue;
      hold(bytes.subarray(from));
      if (held[0] !== OPENING_BRACE) throw notInflux(take(Buffer.alloc(0)).toString('utf8'));
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
