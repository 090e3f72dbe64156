import type { Readable } from 'node:stream';
import type { Http } from '../../../src/platform/contract.ts';
import { blocks } from './answer.ts';
import type { Block } from './answer.ts';
import { influxFailure, notAuthorised } from './failure.ts';
import type { InfluxOptions } from './options.ts';

const NOT_AUTHORISED_BYTES = 16_384;

/**
 * Sends one request of one or more statements; the blocks of the answer come while it arrives. POST, because a
 * list of sensors is too long for an address. Chunked, because an answer in one piece may be cut with HTTP 200
 * (`max-row-limit`) while its `partial` is not reliable. Instants in µs, which InfluxDB cuts from its nanoseconds.
 */
export async function ask(
  http: Http,
  options: InfluxOptions,
  statements: readonly string[],
  rowsPerPiece = options.chunkSize,
): Promise<AsyncIterable<Block>> {
  const form = new URLSearchParams({
    db: options.database,
    q: statements.join('; '),
    epoch: 'u',
    chunked: 'true',
    chunk_size: String(rowsPerPiece),
  });
  const answer = await http.post<Readable>('/query', form, { responseType: 'stream', expect: [403] });
  if (answer.status === 403) throw notAuthorised(await saidIn(answer.data), options);
  return blocks(answer.data, statements.length, (said) => influxFailure(said, options));
}

/** The `error` in a body, or its text where it is not JSON. */
async function saidIn(stream: AsyncIterable<Uint8Array>): Promise<string> {
  let body = Buffer.alloc(0);
  for await (const bytes of stream) {
    body = Buffer.concat([body, bytes]);
    if (body.length > NOT_AUTHORISED_BYTES) break;
  }
  const text = body.toString('utf8');
  try {
    return String((JSON.parse(text) as { error?: unknown }).error);
  } catch {
    return text;
  }
}
