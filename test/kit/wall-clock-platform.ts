import { z } from 'zod';
import { formatLocal, parseLocal } from '../../src/core/instant.ts';
import { zoneOf } from '../../src/core/zone.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../src/core/instant.ts';
import { definePlatform } from '../../src/platform/contract.ts';
import type { Platform } from '../../src/platform/contract.ts';
import { exactFacts } from './facts.ts';

/** A point of the platform: it comes into being at its instant, and the platform remembers its local time only. */
export interface WallClockPoint {
  readonly at: number;
  readonly local: string;
  readonly value: number;
}

/** Points every `everyUs` in `[from, to)`. The clocks of the plant follow `zone`; the value tells the points apart. */
export function wallClockPoints(zone: string, from: number, to: number, everyUs: number): WallClockPoint[] {
  const { offsetAt } = zoneOf(zone);
  const points: WallClockPoint[] = [];
  for (let at = from; at < to; at += everyUs)
    points.push({ at, local: formatLocal(at + offsetAt(at)), value: points.length });
  return points;
}

/** A platform with one sensor that knows local times only. It shows the points that have come into being by `now`. */
export const wallClockPlatform = (points: readonly WallClockPoint[], now: () => number): Platform =>
  definePlatform({
    name: 'wall-clock',
    title: 'Wall Clock',
    docs: 'https://wall-clock.example',
    kinds: { custom: { sign: () => ({}) } },
    options: z.strictObject({}),
    place: ['connection.url'],
    renamed: ({ sensor, variable }) => ({ sensor: sensor.id, variable }),
    facts: {
      ...exactFacts,
      maxWindow: 7 * DAY,
      minWindow: SECOND,
      sensorsPerRead: Infinity,
      namesVariables: false,
      localTime: true,
      pace: { requestsPerSecond: 100, burst: 100, concurrency: 1 },
      lateness: MINUTE,
      overlap: HOUR,
    },
    identify: async () => ({ product: 'Wall Clock' }),
    async *sensors() {
      yield { id: 'pump' };
    },
    async *read(_http, _options, _selection, { from, to }) {
      const [first, last] = [formatLocal(from), formatLocal(to)];
      const found = points.filter(({ at, local }) => at <= now() && local >= first && local < last);
      yield {
        sensor: 'pump',
        variable: 'flow',
        at: found.map(({ local }) => parseLocal(local) ?? NaN),
        values: found.map(({ value }) => value),
      };
    },
  });
