/** The state of a zstd frame whose bytes arrive in chunks. */
export interface ZstdFrame {
  /** Takes the next chunk. */
  take(chunk: Buffer): void;
  /** Bytes of memory that the frame wants for its window; undefined until its header has arrived. */
  readonly window: () => number | undefined;
  /** `whole`: it has ended. `broken`: it is no frame. `overrun`: more than empty frames follow. */
  readonly state: () => 'open' | 'whole' | 'broken' | 'overrun';
}

const MAGIC = [0x28, 0xb5, 0x2f, 0xfd] as const;
/** Bytes of magic number and descriptor. */
const DESCRIBED = 5;
const BLOCK_HEADER = 3;
const CHECKSUM = 4;
const RLE_BLOCK = 1;
const RESERVED_BLOCK = 3;
const DICTIONARY_BYTES = [0, 1, 2, 4] as const;
const CONTENT_SIZE_BYTES = [0, 2, 4, 8] as const;

/**
 * Follows one frame of zstd (RFC 8878, section 3.1) without unpacking it. The decoder of Node.js takes the memory that a
 * frame asks for, up to 128 MB, and stops at the end of a frame: frames that follow would be lost without an error. Empty
 * frames may follow, because the packer of Node.js adds one where its `end` is given a piece.
 */
export function zstdFrame(): ZstdFrame {
  /** The bytes of the header under way: that of the frame, or of a block. */
  const head: number[] = [];
  let wanted = DESCRIBED;
  let skip = 0;
  let part: 'descriptor' | 'header' | 'block' = 'descriptor';
  let hasChecksum = false;
  let isLast = false;
  /** Whether the frame under way follows the first. */
  let follows = false;
  let window: number | undefined;
  let state: ReturnType<ZstdFrame['state']> = 'open';

  function next(bytes: number, then: typeof part): void {
    head.length = part === 'descriptor' ? DESCRIBED : 0;
    part = then;
    wanted = head.length + bytes;
  }

  function onHead(): void {
    if (part === 'block') return onBlock();
    if (part === 'descriptor') {
      // At least one byte follows: the window, or the size of the content.
      if (MAGIC.some((byte, place) => head[place] !== byte)) state = follows ? 'overrun' : 'broken';
      else next(lengthAfter(head[MAGIC.length] as number), 'header');
      return;
    }
    const descriptor = head[MAGIC.length] as number;
    hasChecksum = (descriptor & 0x04) !== 0;
    if (!follows) window = windowOf(head);
    else if (windowOf(head) > (window ?? 0)) state = 'overrun';
    next(BLOCK_HEADER, 'block');
  }

  function onBlock(): void {
    const [low = 0, middle = 0, high = 0] = head;
    const type = (low >> 1) & 3;
    isLast = (low & 1) === 1;
    if (type === RESERVED_BLOCK) state = 'broken';
    else if (follows && (low >> 3) + middle + high > 0) state = 'overrun';
    skip = type === RLE_BLOCK ? 1 : (low >> 3) + (middle << 5) + (high << 13);
    if (isLast && hasChecksum) skip += CHECKSUM;
    next(BLOCK_HEADER, 'block');
    if (isLast && skip === 0 && state === 'open') state = 'whole';
  }

  function beginNext(): void {
    follows = true;
    head.length = 0;
    wanted = DESCRIBED;
    part = 'descriptor';
    state = 'open';
  }

  return {
    take(chunk) {
      let place = 0;
      while (place < chunk.length) {
        if (state === 'whole') beginNext();
        if (state !== 'open') return;
        if (skip > 0) {
          const skipped = Math.min(skip, chunk.length - place);
          skip -= skipped;
          place += skipped;
          if (skip === 0 && isLast) state = 'whole';
        } else {
          head.push(chunk[place] as number);
          place += 1;
          if (head.length === wanted) onHead();
        }
      }
    },
    window: () => window,
    state: () => state,
  };
}

const isSingle = (descriptor: number): boolean => (descriptor & 0x20) !== 0;

/** Bytes of the header after its descriptor: window, number of a dictionary, size of the content. */
function lengthAfter(descriptor: number): number {
  return windowBytes(descriptor) + dictionaryBytes(descriptor) + contentSizeBytes(descriptor);
}

const windowBytes = (descriptor: number): number => (isSingle(descriptor) ? 0 : 1);

const dictionaryBytes = (descriptor: number): number => DICTIONARY_BYTES[(descriptor & 3) as 0 | 1 | 2 | 3];

function contentSizeBytes(descriptor: number): number {
  const bytes = CONTENT_SIZE_BYTES[((descriptor >> 6) & 3) as 0 | 1 | 2 | 3];
  return bytes === 0 && isSingle(descriptor) ? 1 : bytes;
}

/** A frame without a window of its own has one as large as its content. */
function windowOf(head: readonly number[]): number {
  const descriptor = head[MAGIC.length] as number;
  if (!isSingle(descriptor)) {
    const byte = head[DESCRIBED] as number;
    const base = 2 ** (10 + (byte >> 3));
    return base + (base / 8) * (byte & 7);
  }
  const bytes = contentSizeBytes(descriptor);
  let size = 0;
  for (let place = head.length - 1; place >= head.length - bytes; place -= 1)
    size = size * 256 + (head[place] as number);
  return bytes === 2 ? size + 256 : size;
}
