import { setTimeout as sleep } from 'node:timers/promises';
import type { Influx } from '../kit/influx.ts';

const PUMPS = 6;
/** Each measurement is a stream of its own. */
export const STREAMS = 2;
const PAUSE_MS = 500;

/** A plant that writes to its InfluxDB at the current instant, twice a second, until it is stopped. */
export interface LiveWriter {
  /** Fails where a write failed. */
  stop(): Promise<void>;
}

/** A line of one pump; `at` in µs. The value follows from both, so a value at a wrong pump or instant shows. */
export const lineOf = (pump: number, at: number): string =>
  `hall${pump % STREAMS},pump=P${pump} flow=${Math.round(Math.sin(at / 7_000_000 + pump) * 1_000) / 10} ${at}`;

/** The past of the same series: a point of each pump every `stepUs` of `[fromUs, toUs)`. */
export async function writePast(influx: Influx, fromUs: number, toUs: number, stepUs: number): Promise<void> {
  const lines: string[] = [];
  for (let at = fromUs; at < toUs; at += stepUs) {
    for (let pump = 0; pump < PUMPS; pump += 1) lines.push(lineOf(pump, at + pump));
  }
  await influx.write(lines, 'plant', 'u');
}

export function writeLive(influx: Influx): LiveWriter {
  const stopping = new AbortController();
  const writing = (async () => {
    while (!stopping.signal.aborted) {
      const at = Date.now() * 1000;
      const lines = Array.from({ length: PUMPS }, (_, pump) => lineOf(pump, at + pump));
      await influx.write(lines, 'plant', 'u');
      await sleep(PAUSE_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  })();
  writing.catch(() => undefined);
  return {
    async stop() {
      stopping.abort();
      await writing;
    },
  };
}
