import { isCode } from '../access/names.ts';
import { rowsOf } from '../database/database.ts';
import type { Database } from '../database/database.ts';
import { fullProjects } from '../delivery/waiting.ts';

/** The projects that can take pushed readings. */
export interface Targets {
  /** The number of an ML project; undefined where the organisation has no project of this code. */
  project(organisationId: string, code: string): Promise<number | undefined>;
  hasOrganisation(id: string): Promise<boolean>;
  /** Whether the outbox of a project is full, as seen about a second ago. */
  isFull(projectId: number): Promise<boolean>;
}

/** At most this many projects are remembered. */
const REMEMBERED = 10_000;
/** How long the set of projects with a full outbox is used, ms. */
const LOOK_AGAIN_MS = 1_000;

/** Remembers a project that was found, because projects are never removed. */
export function targetsOf(database: Database): Targets {
  const numbers = new Map<string, number>();
  database.memory.onForget(() => numbers.clear());
  let full: Promise<ReadonlySet<number>> = Promise.resolve(new Set());
  let lookedAt = -Infinity;
  return {
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
      if (performance.now() - lookedAt > LOOK_AGAIN_MS) {
        lookedAt = performance.now();
        full = fullProjects(database);
        full.catch(() => (lookedAt = -Infinity));
      }
      return (await full).has(projectId);
    },
    async hasOrganisation(id) {
      return isCode(id) && (await database.row('select from organisation where id = $1', [id])) !== undefined;
    },
  };
}
