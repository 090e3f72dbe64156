import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';

/** What we say we can read; zstd is left out: hardly a platform sends it. */
export const ACCEPTED_PACKING = 'gzip, deflate, br';

/**
 * What unpacks a body, or undefined for a packing that was never accepted. `first` is how the body begins: "deflate"
 * means zlib (RFC 9110, 8.4.1.2), but some servers send it raw, and the first byte tells (RFC 1950, 2.2).
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
