import { isCode } from '../access/names.ts';
import type { Instant } from '../core/instant.ts';
import { rowsOf } from '../database/database.ts';
import type { Database } from '../database/database.ts';
import { fullProjects } from '../delivery/waiting.ts';

/** The projects that can take pushed readings. */
export interface Targets {
  /** The number of an ML project; undefined where the organisation has no project of this code. */
  project(organisationId: string, code: string): Promise<number | undefined>;
  hasOrganisation(id: string): Promise<boolean>;
  /** Readings of a project before are not kept, as seen about a second ago; undefined: all are. */
  keptFrom(projectId: number): Promise<Instant | undefined>;
  /** Whether the outbox of a project is full, as seen about a second ago. */
  isFull(projectId: number): Promise<boolean>;
}

/** At most this many projects are remembered. */
const REMEMBERED = 10_000;
/** How long what was seen of all projects is used, ms. */
const LOOK_AGAIN_MS = 1_000;

/** Remembers a project that was found, because projects are never removed. */
export function targetsOf(database: Database): Targets {
  const numbers = new Map<string, number>();
  database.memory.onForget(() => numbers.clear());
  const full = seenLately(() => fullProjects(database));
  const kept = seenLately(() => keptFromOf(database));
  return {
    keptFrom: async (projectId) => (await kept()).get(projectId),
    async project(organisationId, code) {
      if (!isCode(organisationId) || !isCode(code)) return undefined;
      const key = `${organisationId}/${code}`;
      const known = numbers.get(key);
      if (known !== undefined) return known;
      const [row] = await database.memory.learn((client) =>
        rowsOf<{ id: number }>(client, 'select id from ml_project where organisation_id = $1 and code = $2', [
          organisationId,
          code,
        ]),
      );
      if (row === undefined) return undefined;
      if (numbers.size >= REMEMBERED) numbers.clear();
      numbers.set(key, row.id);
      return row.id;
    },
    async isFull(projectId) {
      return (await full()).has(projectId);
    },
    async hasOrganisation(id) {
      return isCode(id) && (await database.row('select from organisation where id = $1', [id])) !== undefined;
    },
  };
}

/** What `look` found about a second ago. One that failed is tried anew. */
function seenLately<T>(look: () => Promise<T>): () => Promise<T> {
  let seen: Promise<T> | undefined;
  let lookedAt = -Infinity;
  return () => {
    if (seen === undefined || performance.now() - lookedAt > LOOK_AGAIN_MS) {
      lookedAt = performance.now();
      seen = look();
      seen.catch(() => (lookedAt = -Infinity));
    }
    return seen;
  };
}

async function keptFromOf(database: Database): Promise<ReadonlyMap<number, Instant>> {
  const rows = await database.rows<{ id: number; from: Instant }>(
    'select id, instant_of(kept_from) as from from ml_project where kept_from is not null',
  );
  return new Map(rows.map(({ id, from }) => [id, from]));
}
