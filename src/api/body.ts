import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import { constants, createGunzip, createZstdDecompress } from 'node:zlib';
import type { Gunzip, ZstdDecompress } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { HttpProblem } from './problem.ts';
import { zstdFrame } from './zstd-frame.ts';

/** Bytes unpacked at a time. Each piece is a trip to another thread, and a body of 1,000 readings has 100 kB. */
const UNPACKED_CHUNK_BYTES = 65_536;

/** Memory that unpacking one body takes, however few bytes arrive; of zstd without its window. */
const UNPACKING_BYTES = { gzip: 2 * UNPACKED_CHUNK_BYTES, zstd: 8 * UNPACKED_CHUNK_BYTES } as const;

/** The largest window of zstd over HTTP (RFC 9659) is 2 to this many bytes: 8 MiB. */
const WINDOW_LOG = 23;

type Packing = keyof typeof UNPACKING_BYTES;

export interface BodyLimits {
  /** A body may hold at most this many bytes, counted after unpacking. */
  readonly mostBytes: number;
  /** What a client whose body is too large should do, as a sentence. */
  readonly smaller: string;
  /** Whether a packed body is accepted: gzip or zstd. */
  readonly packed: boolean;
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
  const packing = packingOf(request.headers['content-encoding'], limits.packed);
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
  if (packing === undefined) await read(request.raw, onChunk);
  else {
    limits.reserve(UNPACKING_BYTES[packing]);
    const inspect = packing === 'zstd' ? zstdInspector(limits.reserve) : undefined;
    await unpack(request.raw, { packing, inspect, onChunk });
  }
  return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, bytes);
}

/** The text of a body without its byte order mark; undefined where the body is not UTF-8. */
export function decodeUtf8(body: Buffer): string | undefined {
  if (!isUtf8(body)) return undefined;
  return body.toString('utf8', body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? 3 : 0);
}

/** How a body is packed; undefined where it is not. Throws 415, with the packings that are accepted as `Accept-Encoding`. */
function packingOf(encoding: string | undefined, packed: boolean): Packing | undefined {
  if (encoding === undefined || /^identity$/i.test(encoding)) return undefined;
  if (packed && /^(?:x-)?gzip$/i.test(encoding)) return 'gzip';
  if (packed && /^zstd$/i.test(encoding)) return 'zstd';
  throw notUnpacked(
    packed ? 'Send the body as it is, or packed with gzip or zstd.' : 'Send the body as it is.',
    packed ? 'gzip, zstd' : 'identity',
  );
}

const notUnpacked = (detail: string, accepted: string): HttpProblem =>
  new HttpProblem('unsupported-encoding', detail, { headers: { 'accept-encoding': accepted } });

/** Reserves the memory that a frame asks for before the decoder takes it. Throws where a frame cannot be unpacked whole. */
function zstdInspector(reserve: BodyLimits['reserve']): (chunk: Buffer) => void {
  const frame = zstdFrame();
  let reserved = false;
  return (chunk) => {
    frame.take(chunk);
    const state = frame.state();
    if (state === 'broken') throw notUnpackable('zstd');
    if (state === 'overrun') throw new HttpProblem('bad-request', 'Send the body as one frame of zstd.');
    const window = frame.window();
    if (window === undefined || reserved) return;
    if (window > 2 ** WINDOW_LOG) {
      const detail = 'The window of zstd may have at most 8 MiB (RFC 9659). Pack with a lower level, or with gzip.';
      throw notUnpacked(detail, 'gzip, zstd');
    }
    reserve(window);
    reserved = true;
  };
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

const notUnpackable = (packing: Packing): HttpProblem =>
  new HttpProblem('bad-request', `The body cannot be unpacked, although its content encoding is ${packing}.`);

const unpacker = {
  gzip: (): Gunzip => createGunzip({ chunkSize: UNPACKED_CHUNK_BYTES }),
  zstd: (): ZstdDecompress =>
    createZstdDecompress({
      chunkSize: UNPACKED_CHUNK_BYTES,
      params: { [constants.ZSTD_d_windowLogMax]: WINDOW_LOG },
    }),
} as const;

/** Waits for the end of a source, which flows into nothing from now on. */
async function endOf(source: Readable, unpacked: ZstdDecompress | Gunzip): Promise<void> {
  source.unpipe(unpacked);
  if (source.readableEnded) return;
  const ended = read(source, () => undefined);
  source.resume();
  await ended;
}

/** `inspect` looks at each packed piece before it is unpacked. */
async function unpack(
  source: Readable,
  {
    packing,
    inspect,
    onChunk,
  }: { packing: Packing; inspect: ((chunk: Buffer) => void) | undefined; onChunk: (chunk: Buffer) => void },
): Promise<void> {
  const unpacked = unpacker[packing]();
  const onError = (): void => {
    unpacked.destroy(cutOff());
  };
  let fault: unknown;
  const onPiece = (piece: Buffer): void => {
    if (fault !== undefined) return;
    try {
      inspect?.(piece);
    } catch (error) {
      fault = error;
      // A destroyed stream takes no piece any more, so this one is not unpacked.
      unpacked.destroy(error as Error);
    }
  };
  source.on('error', onError);
  source.on('aborted', onError);
  if (inspect) source.on('data', onPiece);
  source.pipe(unpacked);
  try {
    await read(unpacked, onChunk);
    // The decoder may end before its source, whose rest has to be looked at, too.
    if (inspect) await endOf(source, unpacked);
    if (fault !== undefined) throw fault as Error;
  } catch (error) {
    if (error instanceof HttpProblem) throw error;
    throw notUnpackable(packing);
  } finally {
    source.off('data', onPiece);
    source.unpipe(unpacked);
    source.resume();
    unpacked.destroy();
  }
}
