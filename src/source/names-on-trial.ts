import type { Mapping } from '../core/mapping.ts';
import type { SourceConfig } from '../core/source/source.ts';
import type { Database } from '../database/database.ts';
import { nameOfSeries } from '../ingest/new-names.ts';
import { countOwners, foreignAmong } from './take-over.ts';
import type { ForeignSeries, OwnedElsewhere } from './take-over.ts';

/** Judges the names that a trial met as polls would, but claims no series and stores no name. */
export interface NamesOnTrial {
  /**
   * Lets the rules of the source refuse points of series that belong to another owner. Returns whether a name turned out to be
   * one of those: then the window must be read again, as a poll does it.
   */
  judge(): Promise<boolean>;
  /** The owners of the series that were met and are not the source's. */
  seriesOfOthers(): readonly OwnedElsewhere[];
}

/** Without a database, and in a project that does not exist, no series has an owner. */
export function namesOnTrial(
  database: Database | undefined,
  { name, organisation, project }: Pick<SourceConfig, 'name' | 'organisation' | 'project'>,
  rules: Mapping,
): NamesOnTrial {
  const others: ForeignSeries[] = [];
  return {
    seriesOfOthers: () => countOwners(others),
    async judge() {
      const given = rules.unconfirmed();
      if (given.length === 0) return false;
      const row = await database?.row<{ id: number }>(
        'select id from ml_project where organisation_id = $1 and code = $2',
        [organisation, project],
      );
      const foreign =
        database === undefined || row === undefined
          ? []
          : await foreignAmong(database, { projectId: row.id, name }, given);
      others.push(...foreign);
      const lost = new Set(foreign.map(nameOfSeries));
      const before = rules.corrections;
      rules.confirm(given.map((one) => ({ ...one, owned: !lost.has(nameOfSeries(one)) })));
      return rules.corrections !== before;
    },
  };
}
