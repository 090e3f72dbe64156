import { audit } from '../access/audit.ts';
import { configInvalid } from '../core/errors.ts';
import { argumentsOf, titleOf } from '../core/source/source-name.ts';
import type { SourceName } from '../core/source/source-name.ts';
import { rowsOf } from '../database/database.ts';
import type { Database } from '../database/database.ts';
import { findSource } from './find-source.ts';
import type { FoundSource, WantedSource } from './find-source.ts';
import { looksFromNow } from './renames.ts';
import type { SeriesTitle } from './renames.ts';
import { raiseRevisions } from './revisions.ts';

/** The owner of series that applications push. No source has this name. */
const PUSHED = '';

/** Series that some owner has and another source asked for. */
export interface OwnedElsewhere {
  /** The name of a source, removed or not; null for pushing applications. */
  readonly owner: string | null;
  readonly series: number;
}

/** The present owner of series, as an operator names it: a source of the same organisation, which may be removed already, or `pushed`. */
export type NamedOwner = { readonly source: string } | 'pushed';

/** The owner that an operator named. Throws `config-invalid` where none or two are named. */
export function ownerNamed({
  from,
  fromPushed = false,
}: {
  readonly from?: string | undefined;
  readonly fromPushed?: boolean | undefined;
}): NamedOwner {
  if (from !== undefined && !fromPushed) return { source: from };
  if (from === undefined && fromPushed) return 'pushed';
  throw configInvalid(
    'name one present owner',
    'give a source (--from SOURCE), or pushing applications (--from-pushed)',
    'from',
  );
}

/** An owner in words. */
export const ownerInWords = ({ owner }: Pick<OwnedElsewhere, 'owner'>): string =>
  owner === null ? 'pushing applications' : `source ${owner}`;

/** The command by which a source gets the series of an owner. */
const takeOverCommand = (source: SourceName, { owner }: Pick<OwnedElsewhere, 'owner'>): string =>
  `databridge source take-over ${argumentsOf(source)} ${owner === null ? '--from-pushed' : `--from ${owner}`}`;

/** The owners of series whose names a source gives, too, so that its points for them are refused. */
export const ownedElsewhere = (database: Database, source: FoundSource): Promise<OwnedElsewhere[]> =>
  database.rows<OwnedElsewhere & Record<string, unknown>>(
    `select nullif(owner, '') as owner, count(*) as series
     from series_name join series using (sensor_id, value_name)
     where source_id = $1 and not stale and series.project_id = $2 and owner <> $3 group by 1 order by 1`,
    [source.id, source.projectId, source.name],
  );

/** A series that belongs to another owner than the source that asked for it. */
export interface ForeignSeries extends Pick<OwnedElsewhere, 'owner'>, SeriesTitle {}

/** Those of the named series of a project that have an owner other than the source `name`. Writes nothing. */
export const foreignAmong = async (
  database: Database,
  { projectId, name }: { readonly projectId: number; readonly name: string },
  titles: readonly SeriesTitle[],
): Promise<ForeignSeries[]> =>
  titles.length === 0
    ? []
    : await database.rows<ForeignSeries & Record<string, unknown>>(
        `select sensor_id as "sensorId", value_name as "valueName", nullif(owner, '') as owner from series
     where project_id = $1 and owner <> $2
       and (sensor_id, value_name) in (select * from unnest($3::text[], $4::text[]))`,
        [projectId, name, titles.map(({ sensorId }) => sensorId), titles.map(({ valueName }) => valueName)],
      );

/** How many series each owner has, sources in the order of their names and pushing applications last. */
export function countOwners(foreign: readonly Pick<ForeignSeries, 'owner'>[]): OwnedElsewhere[] {
  const counts = new Map<string | null, number>();
  for (const { owner } of foreign) counts.set(owner, (counts.get(owner) ?? 0) + 1);
  const last = ({ owner }: OwnedElsewhere): string => (owner === null ? '1' : `0${owner}`);
  return [...counts]
    .map(([owner, series]) => ({ owner, series }))
    .toSorted((one, other) => (last(one) < last(other) ? -1 : 1));
}

/** The owners of the named series of a project that belong to none of the source. */
export const ownersAmong = async (...given: Parameters<typeof foreignAmong>): Promise<OwnedElsewhere[]> =>
  countOwners(await foreignAmong(...given));

/** Series of another owner that a source asks for, in words. */
export const othersInWords = (owned: OwnedElsewhere): string =>
  `${owned.series} of the series belong to ${ownerInWords(owned)}, so its points for them are refused`;

/** What an operator can do about series of other owners. */
export const ownerRemedy = (source: SourceName, ...owned: readonly Pick<OwnedElsewhere, 'owner'>[]): string =>
  `other names, or ${owned.map((one) => takeOverCommand(source, one)).join(' and ')}`;

/**
 * Hands series of the project of a source over to it: all series of another source or of pushing applications, or those of
 * the named sensors. Both sources read on under a new revision, so no window that was read before is stored after. Returns
 * the source and the number of series.
 *
 * Throws `config-invalid` for an unknown source, and where the owner has no such series.
 */
export async function takeOver(
  database: Database,
  given: {
    readonly source: WantedSource;
    readonly from: NamedOwner;
    /** Only series with these sensorIds. */
    readonly sensors?: readonly string[] | undefined;
  },
  actor: string,
): Promise<{ readonly source: FoundSource; readonly series: number }> {
  const source = await findSource(database, given.source);
  const { from, sensors } = given;
  if (from !== 'pushed' && from.source === source.name) {
    throw configInvalid('a source cannot take series over from itself', 'name the source that has them now', 'from');
  }
  const owner = from === 'pushed' ? PUSHED : from.source;
  const series = await database.transaction(async (client) => {
    // Sources are locked before series, as where a source gives names to its series (pull/sensors/series-names.ts).
    const parties = await rowsOf<{ id: number }>(
      client,
      'select id from source where id = $1 or (organisation_id = $2 and name = $3)',
      [source.id, source.organisation, owner],
    );
    await raiseRevisions(
      client,
      parties.map(({ id }) => id),
    );
    const handed = await rowsOf<{ sensorId: string; valueName: string }>(
      client,
      // In order of names, as where a source gives names to its series, so that the two cannot deadlock.
      `with handed as (
         select id from series where project_id = $1 and owner = $2 and ($4::text[] is null or sensor_id = any($4))
         order by sensor_id, value_name for no key update)
       update series set owner = $3 from handed where series.id = handed.id
       returning series.sensor_id as "sensorId", series.value_name as "valueName"`,
      [source.projectId, owner, source.name, sensors ?? null],
    );
    if (handed.length === 0) throw nothingOwned(source, from);
    await looksFromNow(client, source.id, handed);
    await client.query('update hand_over set count = count + 1');
    await audit(client, actor, 'source.take-over', source.name, {
      organisation: source.organisation,
      from: from === 'pushed' ? null : from.source,
      sensors: sensors ?? null,
      series: handed.length,
    });
    return handed.length;
  });
  return { source, series };
}

function nothingOwned(source: FoundSource, from: NamedOwner): Error {
  const owner = ownerInWords({ owner: from === 'pushed' ? null : from.source });
  return configInvalid(
    `${owner} has no such series in the project of source ${titleOf(source)}`,
    `databridge source show ${argumentsOf(source)} lists the owners of series that it asks for`,
    'from',
  );
}

/** A take-over as a JSON document. */
export const takeOverDocument = (
  { source, series }: { readonly source: FoundSource; readonly series: number },
  from: NamedOwner,
) => ({
  source: source.name,
  organisation: source.organisation,
  /** Null: pushing applications. */
  from: from === 'pushed' ? null : from.source,
  series,
});
