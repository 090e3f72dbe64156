import { isCode } from '../access/names.ts';
import type { Database } from '../database/database.ts';
import { fullProjects } from '../delivery/waiting.ts';

/** Where pushed readings may go. */
export interface Targets {
  /** The number of an ML project; undefined where there is none of this code in the organisation. */
  project(organisationId: string, code: string): Promise<number | undefined>;
  hasOrganisation(id: string): Promise<boolean>;
  /** Whether a project hands over what it takes and has more waiting than it may; about a second old. */
  isFull(projectId: number): Promise<boolean>;
}

const REMEMBERED = 10_000;
const LOOK_AGAIN_MS = 1_000;

/** Projects are never removed, so one that was found is remembered. */
export function targetsOf(database: Database): Targets {
  const numbers = new Map<string, number>();
  let full: Promise<ReadonlySet<number>> = Promise.resolve(new Set());
  let lookedAt = -Infinity;
  return {
    async project(organisationId, code) {
      if (!isCode(organisationId) || !isCode(code)) return undefined;
      const key = `${organisationId}/${code}`;
      const known = numbers.get(key);
      if (known !== undefined) return known;
      const row = await database.row<{ id: number }>(
        'select id from ml_project where organisation_id = $1 and code = $2',
        [organisationId, code],
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
