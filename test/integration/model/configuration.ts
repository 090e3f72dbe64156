import { MINUTE, SECOND, formatInstant } from '../../../src/core/instant.ts';
import type { Change } from './deeds.ts';
import { BEGIN } from './ground.ts';
import { BURST, LOOK_BACK, NAME } from './scene.ts';
import type { Applied, Run } from './scene.ts';

const DEFAULT: Required<Change> = {
  scale: 1,
  startMinutes: 12,
  overlap: 60,
  align: 1,
  catchUp: 'newest',
  maxWindow: 60,
  listed: 0,
  renamed: false,
  rate: 10,
  concurrency: 1,
};

/** The configuration that a change makes of the last one. `removed`: the source was removed, so it is registered again. */
export function configurationAfter({ applied, plant, time }: Run, change: Change, removed: boolean): Applied {
  const last = applied.at(-1);
  const next = { ...(last ?? DEFAULT), ...change };
  const known = [...plant.sensors.keys()];
  const sensors = next.listed === 0 ? undefined : known.slice(0, Math.min(next.listed, known.length));
  return {
    ...next,
    // Without a list no scale and no name can be given.
    ...(sensors === undefined ? { scale: 1, renamed: false } : {}),
    note: (last?.note ?? 0) + 1,
    at: time.now(),
    sensors,
    fresh: removed || last === undefined,
  };
}

/** The configuration as the operator writes it into a file. */
export function sourceOf({ plant, history }: Run, applied: Applied, password: string): Record<string, unknown> {
  const credentials = history.basic
    ? { kind: 'user-credentials', connection: { url: plant.url, username: 'bridge', password } }
    : {
        kind: 'separate-auth-server',
        connection: { url: plant.url, authUrl: plant.url, clientId: 'bridge', clientSecret: password },
      };
  const chosen = applied.sensors?.map((id) => ({
    id,
    ...(applied.renamed ? { as: `${id}-renamed` } : {}),
    values: { v: { scale: applied.scale } },
  }));
  return {
    name: NAME,
    project: 'hall',
    platform: 'scripted',
    ...credentials,
    options: { note: applied.note },
    schedule: {
      every: '10s',
      start: formatInstant(BEGIN - applied.startMinutes * MINUTE),
      settle: '2s',
      overlap: `${applied.overlap}s`,
      lookBackAtMost: `${LOOK_BACK / SECOND}s`,
      align: `${applied.align}s`,
      maxWindow: `${applied.maxWindow}m`,
      catchUp: applied.catchUp,
    },
    pace: { requestsPerSecond: applied.rate, burst: BURST, concurrency: applied.concurrency },
    sensors: chosen ?? 'all',
  };
}
