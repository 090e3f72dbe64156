import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { HttpProblem } from './problem.ts';

/** Bytes unpacked at a time. Each piece is a trip to another thread, and a body of 1,000 readings has 100 kB. */
const UNPACKED_CHUNK_BYTES = 65_536;

/** Memory that unpacking one body takes, however few bytes arrive. */
const UNPACKING_BYTES = 2 * UNPACKED_CHUNK_BYTES;

export interface BodyLimits {
  /** A body may hold at most this many bytes, counted after unpacking. */
  readonly mostBytes: number;
  /** What a client whose body is too large should do, as a sentence. */
  readonly smaller: string;
  /** Whether gzip is accepted. */
  readonly gzip: boolean;
  /** Reserves memory before it is used. Throws where none is left. */
  readonly reserve: (bytes: number) => void;
  /** Looks at each unpacked piece before it is kept. Throws where the body cannot be right. */
  readonly inspect?: (chunk: Buffer) => void;
}

/**
 * The body of a request, unpacked. Throws `HttpProblem` for a body that is too large, broken or packed in an unsupported
 * way. The rest of that body is read and thrown away, because a client does not see the answer while it is sending.
 */
export async function readBody(request: FastifyRequest, reply: FastifyReply, limits: BodyLimits): Promise<Buffer> {
  const packed = isPacked(request.headers['content-encoding'], limits.gzip);
  if (Number(request.headers['content-length'] ?? 0) > limits.mostBytes) throw tooLarge(limits);
  // A client that sent "Expect: 100-continue" waits for this line before it sends the body.
  if (/^100-continue$/i.test(request.headers.expect ?? '')) reply.raw.writeContinue();
  const chunks: Buffer[] = [];
  let bytes = 0;
  const onChunk = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (bytes > limits.mostBytes) throw tooLarge(limits);
    limits.inspect?.(chunk);
    limits.reserve(chunk.length);
    chunks.push(chunk);
  };
  if (packed) limits.reserve(UNPACKING_BYTES);
  await (packed ? unpack(request.raw, onChunk) : read(request.raw, onChunk));
  return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, bytes);
}

/** The text of a body without its byte order mark; undefined where the body is not UTF-8. */
export function decodeUtf8(body: Buffer): string | undefined {
  if (!isUtf8(body)) return undefined;
  return body.toString('utf8', body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? 3 : 0);
}

function isPacked(encoding: string | undefined, gzip: boolean): boolean {
  if (encoding === undefined || /^identity$/i.test(encoding)) return false;
  if (gzip && /^(?:x-)?gzip$/i.test(encoding)) return true;
  throw new HttpProblem(
    'unsupported-encoding',
    gzip ? 'Send the body as it is, or packed with gzip.' : 'Send the body as it is.',
    {
      headers: { 'accept-encoding': gzip ? 'gzip' : 'identity' },
    },
  );
}

const tooLarge = ({ mostBytes, smaller }: BodyLimits): HttpProblem =>
  new HttpProblem('body-too-large', `A body may hold at most ${mostBytes} bytes, counted after unpacking. ${smaller}`);

function read(source: Readable, onChunk: (chunk: Buffer) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (error: unknown): void => {
      source.off('data', take);
      source.resume();
      reject(error);
    };
    const take = (chunk: Buffer): void => {
      try {
        onChunk(chunk);
      } catch (error) {
        stop(error);
      }
    };
    source.on('data', take);
    let ended = false;
    source.on('end', () => {
      ended = true;
      resolve();
    });
    source.on('error', stop);
    source.on('close', () => {
      if (!ended) reject(cutOff());
    });
  });
}

const cutOff = (): HttpProblem => new HttpProblem('bad-request', 'The connection ended before the body was complete.');

async function unpack(source: Readable, onChunk: (chunk: Buffer) => void): Promise<void> {
  const gunzip = createGunzip({ chunkSize: UNPACKED_CHUNK_BYTES });
  const onError = (): void => {
    gunzip.destroy(cutOff());
  };
  source.on('error', onError);
  source.on('aborted', onError);
  source.pipe(gunzip);
  try {
    await read(gunzip, onChunk);
  } catch (error) {
    if (error instanceof HttpProblem) throw error;
    throw new HttpProblem('bad-request', 'The body cannot be unpacked, although its content encoding is gzip.');
  } finally {
    source.unpipe(gunzip);
    source.resume();
    gunzip.destroy();
  }
}
