import { kinds } from '../../../adapters/kinds.ts';
import type { Sealing } from '../../../src/access/sealing.ts';
import { MINUTE, SECOND, formatInstant } from '../../../src/core/instant.ts';
import type { Instant } from '../../../src/core/instant.ts';
import { parseSource } from '../../../src/core/source/source.ts';
import type { Database } from '../../../src/database/database.ts';
import { applySource } from '../../../src/source/registration.ts';
import { changeSource } from '../../../src/source/state-change.ts';
import { BEGIN } from './ground.ts';
import { openPlant } from './plant.ts';
import type { Plant } from './plant.ts';
import { BURST, EVERY, SETTLE } from './scene.ts';
import type { ModelTime } from './time.ts';

/** The name of the other source. */
export const NEIGHBOUR = 'neighbour';
export const NEIGHBOUR_PACE = { rate: 50, concurrency: 2 };

/** Another source of a healthy plant, which the same workers poll: whatever happens to the first, it feels nothing (law 9). */
export interface Neighbour {
  readonly plant: Plant;
  /** Throws where a round of work that began at `begun` left it behind, or it waits longer than its schedule says, or shows a fault. */
  assertWellServed(begun: Instant): Promise<void>;
  /** The operator pauses it, so that the end of a history takes long steps. */
  rest(): Promise<void>;
}

export async function startNeighbour({
  database,
  sealing,
  time,
  seed,
}: {
  readonly database: Database;
  readonly sealing: Sealing;
  readonly time: ModelTime;
  readonly seed: number;
}): Promise<Neighbour> {
  const refused = (): never => {
    throw new Error('the neighbour was refused');
  };
  const plant = await openPlant(time, { platform: 'neighbouring', seed: seed + 1, refused });
  plant.sensors.set('n0', 0);
  const registry = { platforms: [plant.platform], kinds };
  const parsed = parseSource(
    {
      name: NEIGHBOUR,
      project: 'hall',
      platform: 'neighbouring',
      kind: 'user-credentials',
      connection: { url: plant.url, username: 'bridge', password: plant.password },
      options: { note: 0 },
      schedule: { every: '10s', start: formatInstant(BEGIN - MINUTE), settle: '2s', overlap: '60s', align: '1s' },
      pace: { requestsPerSecond: NEIGHBOUR_PACE.rate, burst: BURST, concurrency: NEIGHBOUR_PACE.concurrency },
      sensors: [{ id: 'n0' }],
    },
    registry.platforms,
    { kinds, now: time.now() },
  );
  if (!parsed.ok) throw new Error('the model wrote a wrong neighbour');
  const given = { now: time.now(), actor: 'model', dryRun: false };
  await applySource({ database, sealing, registry }, parsed.source, given);
  let known = false;
  let rests = false;
  return {
    plant,
    async assertWellServed(begun) {
      if (rests) return;
      const row = await database.row<{ end: Instant | null; wait: number } & Record<string, unknown>>(
        `select instant_of(upper(covered)) as end, state, source.failures, source.last_fault, held_until,
           instant_of(greatest(due_at, held_until)) - instant_of(now()) as wait
         from stream join source on source.id = source_id join work on work.kind = 'poll' and work.id = source.id where name = $1`,
        [NEIGHBOUR],
      );
      // The first round looks for its sensors.
      if (row === undefined && !known) return;
      const behind = known ? begun - SETTLE - SECOND - EVERY - (row?.end ?? BEGIN) : 0;
      const isWell = row?.['state'] === 'active' && row['failures'] === 0 && row['last_fault'] === null;
      if (!isWell || behind > 0 || row.wait > EVERY) {
        throw new Error(
          `the neighbour does not fare as if it were alone at ${formatInstant(begun)}: ${JSON.stringify(row)}`,
        );
      }
      known = true;
    },
    async rest() {
      await changeSource(database, 'pause', { name: NEIGHBOUR }, 'model');
      rests = true;
    },
  };
}
