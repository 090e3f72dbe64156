import { constants, createZstdCompress, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { zstdFrame } from './zstd-frame.ts';
import type { ZstdFrame } from './zstd-frame.ts';

/** Packs as a stream does, which does not know the size of its content. */
async function streamed(content: Buffer, params: Record<number, number>): Promise<Buffer> {
  const packer = createZstdCompress({ params });
  const pieces: Buffer[] = [];
  packer.on('data', (piece: Buffer) => pieces.push(piece));
  const ended = new Promise((resolve) => packer.on('end', resolve));
  packer.write(content.subarray(0, content.length / 2));
  packer.end(content.subarray(content.length / 2));
  await ended;
  return Buffer.concat(pieces);
}

/** The frame after bytes that arrive in chunks of these lengths, again and again. */
function followed(bytes: Buffer, lengths: readonly number[]): ZstdFrame {
  const frame = zstdFrame();
  for (let place = 0, turn = 0; place < bytes.length; turn += 1) {
    const length = lengths[turn % lengths.length] ?? 1;
    frame.take(bytes.subarray(place, place + length));
    place += length;
  }
  return frame;
}

const lengths = fc.array(fc.integer({ min: 1, max: 50_000 }), { minLength: 1, maxLength: 5 });

/** Content that packs to all kinds of blocks: noise, runs, and text. */
const content = fc
  .array(fc.record({ kind: fc.constantFrom('noise', 'run', 'text'), length: fc.integer({ min: 0, max: 150_000 }) }), {
    maxLength: 4,
  })
  .map((parts) =>
    Buffer.concat(
      parts.map(({ kind, length }) => {
        if (kind === 'run') return Buffer.alloc(length, 'x');
        if (kind === 'text') return Buffer.from('{"sensorId":"pump-7"},'.repeat(length / 20));
        return Buffer.from(Array.from({ length }, (_, index) => (Math.imul(index, 2_654_435_761) >>> 13) & 255));
      }),
    ),
  );

it('ends where the frame ends, in chunks of any length, and sees each byte that follows', async () => {
  await fc.assert(
    fc.asyncProperty(content, lengths, fc.boolean(), fc.boolean(), async (bytes, chunks, checksum, stream) => {
      const params = { [constants.ZSTD_c_checksumFlag]: checksum ? 1 : 0 };
      const packed = stream ? await streamed(bytes, params) : zstdCompressSync(bytes, { params });
      expect(followed(packed, chunks).state()).toBe('whole');
      expect(followed(packed.subarray(0, -1), chunks).state()).toBe('open');
      expect(followed(Buffer.concat([packed, Buffer.from('no frame')]), chunks).state()).toBe('overrun');
      const more = followed(Buffer.concat([packed, zstdCompressSync('x')]), chunks);
      expect(more.state()).toBe('overrun');
      const none = followed(Buffer.concat([packed, zstdCompressSync('', { params })]), chunks);
      expect(none.state()).toBe('whole');
    }),
    { numRuns: 60, seed: 1 },
  );
});

it('is overrun by an empty frame that wants a larger window, for which no memory is reserved', () => {
  const empty = (log: number): Buffer => Buffer.of(0x28, 0xb5, 0x2f, 0xfd, 0, (log - 10) << 3, 1, 0, 0);
  const first = zstdCompressSync(Buffer.alloc(2_000, 'x'));
  expect(followed(Buffer.concat([first, empty(10)]), [4]).state()).toBe('whole');
  expect(followed(Buffer.concat([first, empty(23)]), [4]).state()).toBe('overrun');
});

test.each([10, 15, 20, 23, 27])('a window of 2^%d bytes is told', async (log) => {
  const packed = await streamed(Buffer.alloc(3_000_000, 'x'), { [constants.ZSTD_c_windowLog]: log });
  expect(followed(packed, [1]).window()).toBe(2 ** log);
});

test.each([0, 1, 255, 256, 65_791, 65_792, 1_000_000])(
  'the window of %d bytes in one piece is their number',
  (size) => {
    expect(followed(zstdCompressSync(Buffer.alloc(size, 'x')), [7]).window()).toBe(size);
  },
);

test.each([
  ['gzip', Buffer.from('1f8b0800000000000003', 'hex')],
  ['text', Buffer.from('[{"sensorId":"a"}]')],
  ['a frame to be skipped', Buffer.from('502a4d180400000000000000', 'hex')],
  ['a reserved block', Buffer.from('28b52ffd2000070000', 'hex')],
])('%s is broken', (_, bytes) => {
  expect(followed(bytes, [3]).state()).toBe('broken');
});
