import axios from 'axios';
import { Readable } from 'node:stream';
import type { Http } from '../../src/platform/contract.ts';

/** An answer, recorded or made up, in the pieces in which it arrives. */
export interface Canned {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
}

/** An http for unit tests that gives these answers in turn, and the requests it got. */
export function cannedHttp(...answers: readonly Canned[]): {
  http: Http;
  asked: URLSearchParams[];
  streams: Readable[];
} {
  const asked: URLSearchParams[] = [];
  const streams: Readable[] = [];
  const http = axios.create({
    baseURL: 'http://influx.invalid',
    adapter: async (config) => {
      const { status = 200, headers = {}, pieces } = answers[asked.length] ?? { status: 500, pieces: [] };
      asked.push(new URLSearchParams(String(config.data)));
      const stream = Readable.from(pieces, { objectMode: true, highWaterMark: 1 });
      streams.push(stream);
      const data = config.responseType === 'stream' ? stream : Buffer.concat(await stream.toArray()).toString('utf8');
      return { status, statusText: '', headers, config, data };
    },
  });
  return { http, asked, streams };
}

/** The text in one piece. */
export const text = (body: string): Canned => ({ pieces: [Buffer.from(body)] });
