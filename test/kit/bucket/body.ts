import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { type Arrived, Refusal, same, type Seed, sha256 } from './signature.ts';

/** The checksum that came with a body and is that of its content. */
export interface Checksum {
  /** As in `x-amz-checksum-crc32`. */
  readonly header: string;
  /** Base64 */
  readonly value: string;
}

/** A body as the client meant it. */
export interface Content {
  readonly bytes: Buffer;
  readonly checksum: Checksum | undefined;
}

/** S3 takes smaller chunks only at the end of a body. */
const SMALLEST_CHUNK = 8_192;

const CHECKSUMS: Readonly<Record<string, (bytes: Uint8Array) => Buffer>> = {
  'x-amz-checksum-crc32': (bytes) => word(crc32(bytes)),
  'x-amz-checksum-crc32c': (bytes) => word(crc32c(bytes)),
  'x-amz-checksum-crc64nvme': crc64nvme,
  'x-amz-checksum-sha1': (bytes) => createHash('sha1').update(bytes).digest(),
  'x-amz-checksum-sha256': (bytes) => createHash('sha256').update(bytes).digest(),
};

/** The checksum in base64; undefined where the header is no checksum that S3 knows. */
export const checksumOf = (header: string, bytes: Uint8Array): string | undefined =>
  Object.hasOwn(CHECKSUMS, header) ? CHECKSUMS[header]?.(bytes).toString('base64') : undefined;

/**
 * Takes the encoding `aws-chunked` off a body and holds the content against everything that the client said about it:
 * x-amz-content-sha256, the signatures of chunks and of the trailer, Content-MD5 and the checksum of header or trailer.
 *
 * @param raw the body as it arrived, without the chunks of HTTP
 * @throws Refusal
 */
export function contentOf(raw: Buffer, { headers }: Arrived, seed: Seed): Content {
  const payload = headers.get('x-amz-content-sha256') ?? '';
  const [, unsigned, trailing] = /^STREAMING-(?:(UNSIGNED)|AWS4-HMAC-SHA256)-PAYLOAD(-TRAILER)?$/.exec(payload) ?? [];
  const streamed = payload.startsWith('STREAMING-');
  if (streamed && /^STREAMING-(AWS4-HMAC-SHA256-PAYLOAD(-TRAILER)?|UNSIGNED-PAYLOAD-TRAILER)$/.test(payload) === false)
    throw new Refusal(501, 'NotImplemented', `This simulator does not know ${payload}.`, {
      Header: 'x-amz-content-sha256',
    });
  const encoded = (headers.get('content-encoding') ?? '').split(',').some((name) => name.trim() === 'aws-chunked');
  if (encoded !== streamed)
    throw new Refusal(
      400,
      'InvalidRequest',
      'Content-Encoding aws-chunked and x-amz-content-sha256 STREAMING- go together.',
    );
  if (streamed) {
    const announced = headers.get('x-amz-trailer');
    if ((announced === undefined) === (trailing !== undefined))
      throw new Refusal(400, 'InvalidRequest', 'x-amz-trailer and x-amz-content-sha256 -TRAILER go together.');
    const { bytes, trailer } = unchunk(raw, unsigned === undefined ? seed : undefined, announced);
    if (headers.get('x-amz-decoded-content-length') !== String(bytes.length))
      throw new Refusal(400, 'IncompleteBody', 'The request body terminated unexpectedly');
    return checked(bytes, new Map([...headers, ...trailer]), announced);
  }
  if (payload !== 'UNSIGNED-PAYLOAD') {
    if (!/^[0-9a-f]{64}$/.test(payload))
      throw new Refusal(
        400,
        'InvalidArgument',
        'x-amz-content-sha256 must be UNSIGNED-PAYLOAD, STREAMING-*, or a valid sha256 value.',
      );
    if (payload !== sha256(raw)) {
      const message = "The provided 'x-amz-content-sha256' header does not match what was computed.";
      throw new Refusal(400, 'XAmzContentSHA256Mismatch', message, {
        ClientComputedContentSHA256: payload,
        S3ComputedContentSHA256: sha256(raw),
      });
    }
  }
  return checked(raw, headers, undefined);
}

function checked(bytes: Buffer, headers: ReadonlyMap<string, string>, trailer: string | undefined): Content {
  const md5 = headers.get('content-md5');
  if (md5 !== undefined) {
    if (Buffer.from(md5, 'base64').length !== 16 || md5.length !== 24)
      throw new Refusal(400, 'InvalidDigest', 'The Content-MD5 you specified was invalid.');
    const calculated = createHash('md5').update(bytes).digest('base64');
    if (md5 !== calculated)
      throw new Refusal(400, 'BadDigest', 'The Content-MD5 you specified did not match what we received.', {
        ExpectedDigest: md5,
        CalculatedDigest: calculated,
      });
  }
  const named = [...headers.keys()].filter((name) => /^x-amz-checksum-(?!mode$|type$|algorithm$)/.test(name));
  const [header] = named;
  const algorithm = headers.get('x-amz-sdk-checksum-algorithm');
  if (algorithm !== undefined && header !== `x-amz-checksum-${algorithm.toLowerCase()}`)
    throw new Refusal(
      400,
      'InvalidRequest',
      'x-amz-sdk-checksum-algorithm specified, but no corresponding x-amz-checksum-* or x-amz-trailer headers were found.',
    );
  if (header === undefined) return { bytes, checksum: undefined };
  if (named.length > 1) throw new Refusal(400, 'InvalidRequest', 'Expecting a single x-amz-checksum- header.');
  const value = headers.get(header) ?? '';
  const calculated = checksumOf(header, bytes);
  if (calculated === undefined || calculated.length !== value.length)
    throw new Refusal(400, 'InvalidRequest', `Value for ${trailer ?? header} header is invalid.`);
  if (calculated !== value)
    throw new Refusal(
      400,
      'BadDigest',
      `The ${header.slice('x-amz-checksum-'.length).toUpperCase()} you specified did not match the calculated checksum.`,
    );
  return { bytes, checksum: { header, value } };
}

/**
 * @param seed undefined where the chunks are not signed
 * @param announced the header that the trailer has to hold, and the only one; undefined: there is no trailer
 */
function unchunk(
  raw: Buffer,
  seed: Seed | undefined,
  announced: string | undefined,
): { readonly bytes: Buffer; readonly trailer: ReadonlyMap<string, string> } {
  const incomplete = (): Refusal => new Refusal(400, 'IncompleteBody', 'The request body terminated unexpectedly');
  let place = 0;
  const line = (): string => {
    const end = raw.indexOf('\r\n', place);
    if (end === -1) throw incomplete();
    const text = raw.toString('latin1', place, end);
    place = end + 2;
    return text;
  };
  const parts: Buffer[] = [];
  let previous = seed?.signature ?? '';
  let before = SMALLEST_CHUNK;
  for (;;) {
    const [, size, signature] = /^([0-9a-f]+)(?:;chunk-signature=([0-9a-f]{64}))?$/i.exec(line()) ?? [];
    if (size === undefined || (signature === undefined) === (seed !== undefined)) throw incomplete();
    const length = Number.parseInt(size, 16);
    const part = raw.subarray(place, place + length);
    if (part.length !== length) throw incomplete();
    if (length > 0 && before < SMALLEST_CHUNK)
      throw new Refusal(
        403,
        'InvalidChunkSizeError',
        'Only the last chunk is allowed to have a size less than 8192 bytes',
      );
    before = length;
    if (seed !== undefined && signature !== undefined) {
      const right = seed.sign('AWS4-HMAC-SHA256-PAYLOAD', previous, sha256(''), sha256(part));
      if (!same(right, signature)) throw badChain('chunk');
      previous = signature;
    }
    place += length;
    if (length === 0) break;
    parts.push(part);
    if (line() !== '') throw incomplete();
  }
  const trailer = new Map<string, string>();
  for (let text = line(); text !== ''; text = line()) {
    const colon = text.indexOf(':');
    if (colon < 1 || trailer.has(text.slice(0, colon))) throw badTrailer();
    trailer.set(text.slice(0, colon), text.slice(colon + 1).trim());
  }
  if (place !== raw.length) throw incomplete();
  const signature = trailer.get('x-amz-trailer-signature');
  trailer.delete('x-amz-trailer-signature');
  const [name] = trailer.keys();
  if (trailer.size > 1 || name !== announced) throw badTrailer();
  if (seed !== undefined && announced !== undefined) {
    const text = `${announced}:${trailer.get(announced)}\n`;
    if (!same(seed.sign('AWS4-HMAC-SHA256-TRAILER', previous, sha256(text)), signature ?? ''))
      throw badChain('trailer');
  } else if (signature !== undefined) throw badTrailer();
  return { bytes: Buffer.concat(parts), trailer };
}

const badTrailer = (): Refusal =>
  new Refusal(
    400,
    'MalformedTrailerError',
    'The request contained trailing data that was not well-formed or did not conform to our published schema.',
  );

const badChain = (what: string): Refusal =>
  new Refusal(
    403,
    'SignatureDoesNotMatch',
    `The ${what} signature we calculated does not match the signature you provided.`,
  );

function word(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

const CASTAGNOLI = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0x82f63b78 : value >>> 1;
  return value;
});

function crc32c(bytes: Uint8Array): number {
  let value = 0xffffffff;
  for (const byte of bytes) value = (CASTAGNOLI[(value ^ byte) & 0xff] ?? 0) ^ (value >>> 8);
  return (value ^ 0xffffffff) >>> 0;
}

/** The table of CRC-64/NVME as high and low words, because the bit operators of JavaScript take 32 bits. */
const NVME = Array.from({ length: 256 }, (_, index) => {
  let value = BigInt(index);
  for (let bit = 0; bit < 8; bit += 1) value = value & 1n ? (value >> 1n) ^ 0x9a6c9329ac4bc9b5n : value >> 1n;
  return [Number(value >> 32n), Number(value & 0xffffffffn)] as const;
});
const NVME_HIGH = Uint32Array.from(NVME, ([high]) => high);
const NVME_LOW = Uint32Array.from(NVME, ([, low]) => low);

function crc64nvme(bytes: Uint8Array): Buffer {
  let high = 0xffffffff;
  let low = 0xffffffff;
  for (const byte of bytes) {
    const index = (low ^ byte) & 0xff;
    low = ((low >>> 8) | (high << 24)) ^ (NVME_LOW[index] ?? 0);
    high = (high >>> 8) ^ (NVME_HIGH[index] ?? 0);
  }
  return Buffer.concat([word((high ^ 0xffffffff) >>> 0), word((low ^ 0xffffffff) >>> 0)]);
}
