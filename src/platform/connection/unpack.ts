import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';

/** The packings that requests accept. Without zstd, because hardly any platform sends it. */
export const ACCEPTED_PACKING = 'gzip, deflate, br';

/**
 * The stream that unpacks a body; undefined for a packing that was not accepted. `first` is the beginning of the body:
 * "deflate" means zlib (RFC 9110, 8.4.1.2), but some servers send it raw, which the first byte shows (RFC 1950, 2.2).
 */
export function unpackerFor(encoding: string, first: Buffer): Transform | undefined {
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'deflate':
      return ((first[0] ?? 0) & 0x0f) === 8 ? createInflate() : createInflateRaw();
    case 'br':
      return createBrotliDecompress();
    default:
      return undefined;
  }
}
