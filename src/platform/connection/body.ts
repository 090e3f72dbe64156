import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { BridgeError, contractBroken, tooMuch } from '../../core/errors.ts';
import { formatBytes } from '../../core/bytes.ts';
import { unavailable } from './unreachable.ts';
import { unpackerFor } from './unpack.ts';

export interface BodySettings {
  /** The name of the request in messages. */
  readonly name: string;
  readonly maxBodyBytes: number;
  /** Called when a piece, still packed, has arrived from the network. */
  readonly arrived: () => void;
  /** Makes a BridgeError of a failure on the network. */
  readonly explain: (error: unknown) => BridgeError;
}

/**
 * The unpacked body of an answer. It counts its bytes against the limit, turns every error into a BridgeError and
 * closes exactly once, whether it was read, failed or was given up; a connection with unread data is closed with it.
 */
export class Body extends Readable {
  readonly #settings: BodySettings;
  readonly #raw: IncomingMessage;
  /** Where the bytes come from, once they flow. */
  #unpacked: Readable | undefined;
  #bytes = 0;

  constructor(raw: IncomingMessage, settings: BodySettings) {
    super({ highWaterMark: 256 * 1024 });
    this.#raw = raw;
    this.#settings = settings;
    // Without a listener an error would end the process, and a time limit may be reached before the body has a reader.
    this.on('error', () => undefined);
    raw.on('error', (error) => this.destroy(settings.explain(error)));
    raw.on('close', () => {
      if (!raw.readableEnded) this.destroy(unavailable('reset', `${settings.name}: the answer broke off`));
    });
    this.#connect();
  }

  #connect(): void {
    const raw = this.#raw;
    const encoding = (raw.headers['content-encoding'] ?? '').trim().toLowerCase();
    if (encoding === '' || encoding === 'identity') {
      this.#take(raw.on('data', this.#settings.arrived));
      return;
    }
    // Some servers announce packing and then send no body, so unpacking begins with the first byte.
    raw.once('readable', () => {
      const first: unknown = raw.read();
      if (!Buffer.isBuffer(first)) {
        this.push(null);
        raw.resume();
        return;
      }
      raw.unshift(first);
      this.#unpack(encoding, first);
    });
  }

  #unpack(encoding: string, first: Buffer): void {
    const { name, arrived } = this.#settings;
    const unpacker = unpackerFor(encoding, first);
    if (unpacker === undefined) {
      this.destroy(
        contractBroken(`${name}: the answer is packed as "${encoding.slice(0, 40)}", which was not asked for`),
      );
      return;
    }
    unpacker.on('error', (error: NodeJS.ErrnoException) => {
      const cut = error.code === 'Z_BUF_ERROR';
      this.destroy(
        cut
          ? unavailable('reset', `${name}: the answer broke off inside its ${encoding} packing`)
          : contractBroken(`${name}: the answer cannot be unpacked as ${encoding}`),
      );
    });
    this.once('close', () => unpacker.destroy());
    this.#take(this.#raw.on('data', arrived).pipe(unpacker));
  }

  #take(unpacked: Readable): void {
    const { name, maxBodyBytes } = this.#settings;
    this.#unpacked = unpacked;
    unpacked.on('data', (chunk: Buffer) => {
      this.#bytes += chunk.length;
      if (this.#bytes > maxBodyBytes) {
        this.destroy(tooMuch(`${name}: the answer is larger than ${formatBytes(maxBodyBytes)}`));
      } else if (!this.push(chunk)) {
        unpacked.pause();
      }
    });
    unpacked.on('end', () => this.push(null));
  }

  override _read(): void {
    this.#unpacked?.resume();
  }

  /** As that of a Readable, which prepares for many more kinds of streams and takes as long as a layer of a request. */
  override async *[Symbol.asyncIterator](): NodeJS.AsyncIterator<Buffer, undefined, undefined> {
    let wake = (): void => undefined;
    const woken = (): void => wake();
    this.on('readable', woken).on('close', woken);
    try {
      for (;;) {
        const piece = this.read() as Buffer | null;
        if (piece !== null) yield piece;
        else if (this.errored) throw this.errored;
        else if (this.closed) return;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      this.off('readable', woken).off('close', woken).destroy();
    }
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    if (!this.#raw.readableEnded) this.#raw.destroy();
    done(error === null || error instanceof BridgeError ? error : this.#settings.explain(error));
  }
}
