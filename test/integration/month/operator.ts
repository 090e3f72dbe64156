import type { Sealing } from '../../../src/access/sealing.ts';
import { kinds } from '../../../adapters/kinds.ts';
import { formatDuration } from '../../../src/core/duration.ts';
import { formatInstant } from '../../../src/core/instant.ts';
import type { Instant } from '../../../src/core/instant.ts';
import { formatProblem } from '../../../src/core/source/problems.ts';
import { parseSource } from '../../../src/core/source/source.ts';
import type { Database } from '../../../src/database/database.ts';
import type { Registry } from '../../../src/platform/registry.ts';
import { changeBackfill } from '../../../src/source/backfill/change.ts';
import type { BackfillChange } from '../../../src/source/backfill/change.ts';
import { quoteBackfill } from '../../../src/source/backfill/quote.ts';
import { startBackfill } from '../../../src/source/backfill/start.ts';
import type { WantedBackfill } from '../../../src/source/backfill/start.ts';
import { backfillState } from '../../../src/source/backfill/state.ts';
import type { BackfillState } from '../../../src/source/backfill/state.ts';
import { applySource } from '../../../src/source/registration.ts';
import { changeSource } from '../../../src/source/state-change.ts';
import type { ModelTime } from '../model/time.ts';
import type { MonthPlant } from './plant.ts';
import { BEGIN, LOOK_BACK, OVERLAP, PACE } from './scene.ts';
import type { Size } from './scene.ts';

/** The operator, who works by the functions that the commands and routes call. */
export interface Operator {
  /** Applies the source of a plant, with this mapping and the password as the plant has it now. A stopped source goes on. */
  apply(plant: MonthPlant, mapping: Record<string, unknown>): Promise<void>;
  /** Quotes a backfill and starts it. @returns its id */
  backfill(wanted: WantedBackfill): Promise<number>;
  change(id: number, change: BackfillChange): Promise<void>;
  state(id: number): Promise<BackfillState>;
}

export function operatorOf(
  ground: { readonly database: Database; readonly sealing: Sealing; readonly registry: Registry },
  { time, size }: { readonly time: ModelTime; readonly size: Size },
): Operator {
  const { database, registry } = ground;
  const actor = 'operator';
  const state = async (id: number): Promise<BackfillState> => {
    const found = await backfillState(database, id);
    if (found === undefined) throw new Error(`there is no backfill ${id}`);
    return found;
  };
  return {
    state,
    async apply(plant, mapping) {
      const { name } = plant.platform;
      const source = {
        name,
        project: 'hall',
        platform: name,
        kind: 'user-credentials',
        connection: { url: plant.url, username: 'bridge', password: plant.password },
        options: {},
        schedule: {
          // Nothing hurries a platform of local times: it has to be exact when the clocks are put back.
          every: formatDuration(plant.platform.facts.localTime ? 3 * size.every : size.every),
          start: formatInstant(BEGIN),
          settle: '1m',
          overlap: formatDuration(OVERLAP),
          lookBackAtMost: formatDuration(LOOK_BACK),
          maxWindow: '1d',
        },
        pace: PACE,
        mapping,
        sensors: 'all',
      };
      const parsed = parseSource(source, [plant.platform], { kinds, now: time.now() });
      if (!parsed.ok) throw new Error(parsed.problems.map(formatProblem).join('; '));
      const before = await database.row<{ state: string }>('select state from source where name = $1', [name]);
      await applySource(ground, parsed.source, { now: time.now(), actor, dryRun: false });
      if (before?.state === 'stopped') await changeSource(database, 'resume', { name }, actor);
    },
    async backfill(wanted) {
      const { quote } = await quoteBackfill(database, registry, wanted, 10_000);
      return await startBackfill(database, { ...wanted, quote, requestedBy: actor });
    },
    async change(id, change) {
      await changeBackfill(database, id, change, actor);
    },
  };
}

/** A deed of the script, or of the world. */
export interface Deed {
  readonly at: Instant;
  readonly what: () => Promise<void> | void;
}
