import type { Instant, Microseconds } from '../core/instant.ts';
import { parseInstant } from '../core/instant.ts';
import type { Database } from '../database/database.ts';
import { listSources } from '../source/report.ts';
import { requestsTo } from './source-file.ts';
import type { RunningPlant } from './source-file.ts';
import { allowedInOneSecond } from './plants.ts';
import { preciseNowMs } from '../simulator/recorder.ts';

/** The last fault of a source; `until`: the source waits until then. */
export interface BoardTrouble {
  readonly message: string;
  readonly at: Instant;
  readonly until: Instant | null;
}

/** A source on the board. */
export interface BoardRow {
  readonly source: string;
  readonly state: string;
  /** Null until its sensors are known. */
  readonly lag: Microseconds | null;
  readonly readings: number;
  /** The covered share of the time before the demo, 0..1. */
  readonly history: number;
  readonly requests: number;
  readonly lastSecond: number;
  readonly allowedInOneSecond: number;
  readonly trouble: BoardTrouble | undefined;
}

const HISTORY = `
  select source.name, coalesce(avg(share_of(tstzrange(source.start_at, source.created_at), covered)), 0) as share
  from source left join stream on source_id = source.id group by source.name`;

/** Returns a function that looks at the sources. It remembers the last trouble, because the database forgets it within a second. */
export function observerOf(database: Database, plants: readonly RunningPlant[]): () => Promise<readonly BoardRow[]> {
  const troubles = new Map<string, BoardTrouble>();
  return async () => {
    const lines = new Map((await listSources(database)).map((line) => [line.name, line]));
    const shares = await database.rows<{ name: string; share: number }>(HISTORY);
    const history = new Map(shares.map(({ name, share }) => [name, share]));
    return plants.map((running) => {
      const { plant } = running;
      const requests = requestsTo(running);
      const line = lines.get(plant.name);
      if (line?.fault) {
        const { message, at } = line.fault;
        troubles.set(plant.name, { message, at: parseInstant(at) ?? 0, until: line.heldUntil });
      }
      const secondAgo = preciseNowMs() - 1_000;
      return {
        source: plant.name,
        state: line?.state ?? 'removed',
        lag: line?.lag ?? null,
        readings: line?.readings24h ?? 0,
        history: history.get(plant.name) ?? 0,
        requests: requests.length,
        lastSecond: requests.filter(({ arrivedMs }) => arrivedMs > secondAgo).length,
        allowedInOneSecond: allowedInOneSecond(plant),
        trouble: troubles.get(plant.name),
      };
    });
  };
}
