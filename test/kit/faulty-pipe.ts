import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Faults of the line between the bridge and a server. Without any the line is sound. */
export interface Faults {
  /** New connections: none is accepted, or each is accepted and reset at once. Present ones go on. */
  readonly connections?: 'refuse' | 'reset';
  /** A black hole: connections are accepted and stay open, and neither data nor an end gets through. */
  readonly stalled?: boolean;
  /** Added to every piece of data, in each direction. */
  readonly latencyMs?: number;
  /** From the server to the client, each connection by itself. */
  readonly bytesPerSecond?: number;
  /** A connection ends in good order (FIN) once this many bytes have passed through it to the client. */
  readonly truncateAfterBytes?: number;
}

/** The state that all connections of a proxy share. */
export interface Line {
  faults: Faults;
  /** Resolved, and replaced, whenever the faults change or the proxy closes. */
  changed: PromiseWithResolvers<void>;
  bytesToClients: number;
}

const underWayLimitBytes = 4 * 1_048_576;

/** Waits while nothing gets through; returns early when the socket is gone. */
export async function whileStalled(line: Line, socket: Socket): Promise<void> {
  while (line.faults.stalled && !socket.destroyed) await line.changed.promise;
}

/**
 * Passes data of `source` on, then its end. Data under way keep their order and are bounded, so that latency delays a stream
 * without lowering its rate. Rejects when the source breaks. Data for a target that is gone are dropped.
 */
export async function passOn(source: Socket, deliver: (bytes: Buffer) => Promise<void>, line: Line): Promise<void> {
  let bytesUnderWay = 0;
  let tail = Promise.resolve();
  for await (const bytes of source as AsyncIterable<Buffer>) {
    const arrivedAt = performance.now();
    bytesUnderWay += bytes.length;
    tail = tail.then(async () => {
      await waitUntil(() => arrivedAt + (line.faults.latencyMs ?? 0), line);
      await deliver(bytes);
      bytesUnderWay -= bytes.length;
    });
    if (bytesUnderWay > underWayLimitBytes) await tail;
  }
  await tail;
}

/** Delivery to the server: only `stalled` holds it up. */
export function toServer(server: Socket, line: Line): (bytes: Buffer) => Promise<void> {
  return async (bytes) => {
    await whileStalled(line, server);
    await write(server, bytes);
  };
}

/** Delivery to the client: in slices where the bandwidth is limited, and only up to the truncation. */
export function toClient(client: Socket, line: Line, cut: () => void): (bytes: Buffer) => Promise<void> {
  let passedBytes = 0;
  return async (bytes) => {
    let rest = bytes;
    while (rest.length > 0 && client.writable) {
      await whileStalled(line, client);
      const { bytesPerSecond = Infinity, truncateAfterBytes = Infinity } = line.faults;
      const sliceBytes = Math.min(rest.length, Math.ceil(bytesPerSecond / 20), truncateAfterBytes - passedBytes);
      if (sliceBytes > 0) {
        await write(client, rest.subarray(0, sliceBytes));
        rest = rest.subarray(sliceBytes);
        passedBytes += sliceBytes;
        line.bytesToClients += sliceBytes;
        const writtenAt = performance.now();
        await waitUntil(() => writtenAt + (sliceBytes * 1_000) / (line.faults.bytesPerSecond ?? Infinity), line);
      }
      if (passedBytes >= truncateAfterBytes) cut();
    }
  };
}

/** Waits for an instant that a change of the faults may move. */
async function waitUntil(dueAt: () => number, line: Line): Promise<void> {
  for (let restMs = dueAt() - performance.now(); restMs > 0; restMs = dueAt() - performance.now()) {
    const timer = new AbortController();
    const elapsed = sleep(restMs, undefined, { signal: timer.signal }).catch(() => undefined);
    await Promise.race([elapsed, line.changed.promise]);
    timer.abort();
  }
}

/** Resolves when the socket takes more data or has ended. */
async function write(socket: Socket, bytes: Buffer): Promise<void> {
  if (!socket.writable || socket.write(bytes)) return;
  await new Promise<void>((resolve) => socket.once('drain', resolve).once('close', resolve));
}
