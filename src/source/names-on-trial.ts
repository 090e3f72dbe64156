import type { GivenName, Mapping } from '../core/mapping.ts';
import type { SourceConfig } from '../core/source/source.ts';
import type { Database } from '../database/database.ts';
import { judgeNewNames, nameOfSeries } from '../ingest/new-names.ts';
import { newNamesOf } from './near-series.ts';
import type { NewName, NewNames } from './near-series.ts';
import { countOwners, foreignAmong } from './take-over.ts';
import type { ForeignSeries, OwnedElsewhere } from './take-over.ts';

/** Judges the names that a trial met as polls would, but claims no series and stores no name. */
export interface NamesOnTrial {
  /**
   * Lets the rules of the source refuse points of series that belong to another owner, and of new names that the project takes no
   * series for. Returns whether a name turned out to be one of those: then the window must be read again, as a poll does it.
   */
  judge(): Promise<boolean>;
  /** The owners of the series that were met and are not the source's. */
  seriesOfOthers(): readonly OwnedElsewhere[];
  /** The names that were met and have no series yet; null where all have one, or the project is unknown. */
  newNames(): Promise<NewNames | null>;
}

/** Without a database, and in a project that does not exist, no series has an owner, and no name is refused. */
export function namesOnTrial(
  database: Database | undefined,
  { name, organisation, project }: Pick<SourceConfig, 'name' | 'organisation' | 'project'>,
  rules: Mapping,
): NamesOnTrial {
  const others: ForeignSeries[] = [];
  const fresh = new Map<string, NewName>();
  let projectId: number | undefined;
  /** A name keeps its first verdict, and takes up the room of the project that a series of it would take. */
  async function judgeNew(bridge: Database, project: number, given: readonly GivenName[]): Promise<void> {
    const unknown = given.filter((one) => !fresh.has(nameOfSeries(one)));
    const made = [...fresh.values()].filter(({ reason }) => reason === undefined).length;
    const judged = await bridge.transaction((client) => judgeNewNames(client, project, unknown, made));
    for (const { sensorId, valueName } of unknown) {
      const title = nameOfSeries({ sensorId, valueName });
      if (judged.has(title)) fresh.set(title, { sensorId, valueName, reason: judged.get(title) });
    }
  }

  return {
    newNames: async () =>
      database === undefined || projectId === undefined
        ? null
        : await newNamesOf(database, projectId, [...fresh.values()]),
    seriesOfOthers: () => countOwners(others),
    async judge() {
      const given = rules.unconfirmed();
      if (given.length === 0) return false;
      const row = await database?.row<{ id: number }>(
        'select id from ml_project where organisation_id = $1 and code = $2',
        [organisation, project],
      );
      projectId = row?.id;
      if (database === undefined || projectId === undefined) {
        rules.confirm(given.map((one) => ({ ...one, owned: true })));
        return false;
      }
      const foreign = await foreignAmong(database, { projectId, name }, given);
      others.push(...foreign);
      const lost = new Set(foreign.map(nameOfSeries));
      await judgeNew(database, projectId, given);
      const before = rules.corrections;
      rules.confirm(
        given.map((one) => {
          const title = nameOfSeries(one);
          const reason = fresh.get(title)?.reason;
          return { ...one, owned: reason === undefined && !lost.has(title), reason };
        }),
      );
      return rules.corrections !== before;
    },
  };
}
