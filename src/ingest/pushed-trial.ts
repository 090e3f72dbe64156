import type { Column } from '../core/batch.ts';
import type { Instant } from '../core/instant.ts';
import { rowsOf } from '../database/database.ts';
import type { Database } from '../database/database.ts';
import { statementOf } from '../database/statement.ts';
import type { PushCounts } from './pushed-commit.ts';
import { nameOfSeries } from './new-names.ts';
import { spanOf } from './pushed-spans.ts';
import { encodeArrays } from './rows.ts';
import type { EncodedReadings, NumberedColumn } from './rows.ts';
import { LOOK_UP_LABEL_SETS, LOOK_UP_SERIES } from './series.ts';
import { archivedReadingsOf } from './thaw.ts';
import { INCOMING } from './writing.ts';

/** A series of a push that was only tried. */
export interface TriedSeries {
  readonly sensorId: string;
  readonly valueName: string;
  readonly readings: number;
  /** The instants of its first and last reading. */
  readonly first: Instant;
  readonly last: Instant;
  /** Whether a push would make it: the project has no series of this name. */
  readonly isNew: boolean;
}

/** What a push would do. */
export interface PushTrial {
  readonly counts: PushCounts;
  /** In the order of the body. */
  readonly series: readonly TriedSeries[];
}

/** The number of a label set that the database does not have; no stored reading has it. */
const NO_SET = -1;
/** The same for a set of a file, after an older backup was restored. */
const NO_SET_OF_FILE = -2;

/** SQL: how many readings of `incoming` are known with the same content, and with another. */
const comparedWith = (known: string): string => `
  select count(*) filter (where same) as same, count(*) filter (where not same) as revised
  from (select (known.value, known.precision, known.labels) is not distinct from (incoming.value, incoming.precision, incoming.labels) as same
        from incoming join ${known} as known using (series, at)) as met`;

const STORED = statementOf<EncodedReadings>(`with origin as (select), ${INCOMING} ${comparedWith('reading')}`);

interface OfFiles {
  readonly fileSeries: readonly number[];
  readonly fileAt: readonly Instant[];
  readonly fileValue: readonly number[];
  readonly filePrecision: readonly (number | null)[];
  readonly fileLabels: readonly (string | null)[];
}

/** As `STORED`, with the readings of files of which there is no row. */
const STORED_OLD = statementOf<EncodedReadings & OfFiles>(`
  with origin as (select), ${INCOMING},
  stored as (
    select series, at, reading.value, reading.precision, reading.labels from reading join incoming using (series, at)
    union all
    select file.series, at_instant(file.us), file.value, file.precision,
      case when file.labels is not null then coalesce(label_set.id, ${NO_SET_OF_FILE}) end
    from unnest($fileSeries::int[], $fileAt::bigint[], $fileValue::float8[], $filePrecision::int2[], $fileLabels::text[])
      as file (series, us, value, precision, labels)
    left join label_set on file.labels is not null and label_set.labels = array(select jsonb_array_elements_text(file.labels::jsonb))
    where not exists (select from reading where reading.series = file.series and reading.at = at_instant(file.us)))
  ${comparedWith('stored')}`);

/**
 * Counts the readings of a push against the database as it is now, in a transaction that can write nothing. The database
 * gives up after `waitMs`. `now`: by its clock.
 */
export async function tryPush(
  database: Database,
  { projectId, columns, waitMs, now }: { projectId: number; columns: readonly Column[]; waitMs: number; now: Instant },
): Promise<PushTrial> {
  return await database.transaction(async (client) => {
    await client.query('set transaction isolation level repeatable read, read only');
    await client.query(`set local statement_timeout = ${Math.round(waitMs)}`);
    const names = [projectId, columns.map(({ sensorId }) => sensorId), columns.map(({ valueName }) => valueName)];
    const known = await rowsOf<{ id: number; sensorId: string; valueName: string }>(client, LOOK_UP_SERIES, names);
    const ids = new Map(known.map((row) => [nameOfSeries(row), row.id]));
    const labels = new Map<string, readonly string[]>();
    for (const { segments } of columns) for (const one of segments) labels.set(JSON.stringify(one.labels), one.labels);
    const sets = await rowsOf<{ id: number; labels: string[] }>(client, LOOK_UP_LABEL_SETS, [
      JSON.stringify([...labels.values()]),
    ]);
    const setIds = new Map(sets.map((row) => [JSON.stringify(row.labels), row.id]));
    const numbered = columns.flatMap((column): NumberedColumn[] => {
      const series = ids.get(nameOfSeries(column));
      if (series === undefined) return [];
      const labelSets = column.segments.map((one) =>
        one.labels.length === 0 ? null : (setIds.get(JSON.stringify(one.labels)) ?? NO_SET),
      );
      return [{ series, column, labelSets }];
    });
    const { readings: files } = await archivedReadingsOf(database, client, { columns: numbered, now });
    const { rows } = await client.query<{ same: number; revised: number }>(
      files.length === 0
        ? STORED({ ...encodeArrays(numbered) })
        : STORED_OLD({
            ...encodeArrays(numbered),
            fileSeries: files.map(({ series }) => series),
            fileAt: files.map(({ at }) => at),
            fileValue: files.map(({ value }) => value),
            filePrecision: files.map(({ precision }) => precision),
            fileLabels: files.map(({ labels: text }) => text),
          }),
    );
    const { same: duplicates = 0, revised = 0 } = rows[0] ?? {};
    const series = columns.map((column) => triedSeries(column, !ids.has(nameOfSeries(column))));
    const readings = series.reduce((sum, one) => sum + one.readings, 0);
    return { counts: { accepted: readings - duplicates - revised, duplicates, revised }, series };
  });
}

function triedSeries({ sensorId, valueName, segments }: Column, isNew: boolean): TriedSeries {
  const readings = segments.reduce((sum, { at }) => sum + at.length, 0);
  return { sensorId, valueName, readings, ...spanOf(segments), isNew };
}
