import type { Batch, Column, Refusal, Segment } from '../../src/core/batch.ts';
import type { RefusalReason } from '../../src/core/reading.ts';
import { refusalNotes } from '../../src/core/refusal-notes.ts';
import type { Database } from '../../src/database/database.ts';
import { POLL_NEW } from '../../src/pull/work.ts';

/** A source as a registration stores it, with an empty configuration. */
export interface StoredSource {
  readonly sourceId: number;
  readonly projectId: number;
  readonly edition: string;
}

/**
 * Writes a project and a source of it; `every` and `phase` in µs. It is due now, and then half an interval from now unless
 * `phase` says otherwise: on a grid of full minutes a source is due twice within a moment, once a minute.
 */
export async function storeSource(
  database: Database,
  name = 'source',
  given: { readonly every?: number; readonly phase?: number } = {},
): Promise<StoredSource> {
  const { every = 60_000_000 } = given;
  const phase = given.phase ?? (Date.now() * 1_000 + Math.floor(every / 2)) % every;
  await database.run(
    `insert into ml_project (organisation_id, code, name) values ('default', 'project', 'Project') on conflict do nothing`,
  );
  const row = await database.row<{ id: number; project_id: number; edition: string }>(
    `insert into source (name, project_id, kind, platform, config, start_at, every_us, phase_us, settle_us)
     select $1, id, 'custom', 'none', '{}', 'epoch', $2, $3, 0 from ml_project returning id, project_id, edition`,
    [name, every, phase],
  );
  if (!row) throw new Error('no source was stored');
  await database.run(POLL_NEW, [row.id]);
  return { sourceId: row.id, projectId: row.project_id, edition: row.edition };
}

/** The configuration that a window of the source is read with. */
export const configurationOf = ({ sourceId, ...source }: StoredSource) => ({ ...source, id: sourceId, revision: 1 });

/** Writes an empty stream, as a complete look for sensors does; the answer is its id. */
export async function storeStream(database: Database, { sourceId }: StoredSource, key = 'stream'): Promise<number> {
  const row = await database.row<{ id: number }>(
    `insert into stream (source_id, key, selection, sensors) values ($1, $2, '{}', '[]') returning id`,
    [sourceId, key],
  );
  if (!row) throw new Error('no stream was stored');
  await database.run('update source set discovered_at = now() where id = $1 and discovered_at is null', [sourceId]);
  return row.id;
}

/** Gives a worker the claims of all sources and histories, as it has them while it reads windows. */
export async function claimAll(database: Database, workerId: string): Promise<void> {
  await database.run(
    `insert into work (kind, id, source_id, due_at) select 'poll', id, id, now() from source on conflict do nothing`,
  );
  await database.run(
    `insert into work (kind, id, source_id, due_at) select 'history', id, source_id, now() from stream where retired_at is null on conflict do nothing`,
  );
  await database.run('update work set claimed_by = $1 where claimed_by is distinct from $1', [workerId]);
}

/** A column of one series; the sensor is its name. */
export const columnOf = (sensorId: string, segment: Partial<Segment> & Pick<Segment, 'at'>): Column => ({
  sensorId,
  valueName: 'value',
  segments: [{ value: segment.at.map(() => 1), precision: undefined, labels: [], ...segment }],
});

/** A batch of columns and of refusals. A refusal without an instant stands at `from`, the start of its window. */
export function batchOf(columns: readonly Column[], refusals: readonly Refusal[] = [], from = 0): Batch {
  const refused = new Map<RefusalReason, number>();
  const notes = refusalNotes();
  for (const { sensor, variable, reason, at, raw } of refusals) {
    refused.set(reason, (refused.get(reason) ?? 0) + 1);
    notes.note(sensor, variable, reason, { place: at ?? from, at, raw: () => raw });
  }
  const readings = columns.flatMap(({ segments }) => segments).reduce((sum, { at }) => sum + at.length, 0);
  return { columns, readings, repeats: 0, outside: 0, unchosen: 0, refused, refusals: notes.sealed() };
}

/** All stored readings as `sensor at value precision labels`, in order. */
export async function readingsIn(database: Database): Promise<string[]> {
  const rows = await database.rows<{ line: string }>(
    `select concat_ws(' ', sensor_id, instant_of(at), value, coalesce(precision::text, '-'), label_set.labels) as line
     from reading join series on series.id = series left join label_set on label_set.id = reading.labels
     order by sensor_id, reading.at`,
  );
  return rows.map(({ line }) => line);
}
