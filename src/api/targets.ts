import { isCode } from '../access/names.ts';
import type { Database } from '../database/database.ts';

/** Where pushed readings may go. */
export interface Targets {
  /** The number of an ML project; undefined where there is none of this code in the organisation. */
  project(organisationId: string, code: string): Promise<number | undefined>;
  hasOrganisation(id: string): Promise<boolean>;
}

const REMEMBERED = 10_000;

/** Projects are never removed, so one that was found is remembered. */
export function targetsOf(database: Database): Targets {
  const numbers = new Map<string, number>();
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
    async hasOrganisation(id) {
      return isCode(id) && (await database.row('select from organisation where id = $1', [id])) !== undefined;
    },
  };
}
