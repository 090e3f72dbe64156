import { formatDuration } from '../../src/core/duration.ts';
import { SECOND } from '../../src/core/instant.ts';
import type { Instant, Microseconds } from '../../src/core/instant.ts';
import { nextDue, phaseOf } from '../../src/core/schedule.ts';
import type { Database } from '../../src/database/database.ts';
import { READER } from './dataset.ts';
import { hasWork } from './rig.ts';
import type { Room } from './rig.ts';

/** A number of sources that are all alike. */
export interface Many {
  readonly sources: number;
  readonly every: Microseconds;
}

/**
 * Registers the first source as an operator would and copies its rows for the others, because thousands are slow otherwise.
 * Every table that refers to a source or a stream is copied, so it also fits the schema of another commit.
 * `others`: fields of the sources in place of the usual ones.
 * @returns their names
 */
export async function registerMany(
  room: Room,
  url: string,
  many: Many,
  prefix = 'source',
  others: Record<string, unknown> = {},
): Promise<string[]> {
  const { database } = room.context;
  const first = `${prefix}-1`;
  await room.apply(
    {
      name: first,
      connection: { url, ...READER },
      // Each poll asks for one window, which begins where the last one ended.
      schedule: { every: formatDuration(many.every), settle: '0s', overlap: '0s', align: '1ms' },
      pace: { requestsPerSecond: 100, burst: 10, concurrency: 2 },
      ...others,
    },
    ['pumps'],
  );
  const names = Array.from({ length: many.sources - 1 }, (_, index) => `${prefix}-${index + 2}`);
  if (names.length > 0) {
    await copyRows(
      database,
      'source',
      { name: 'copy.name', config: `jsonb_set(o.config, '{name}', to_jsonb(copy.name))` },
      [`from source o, unnest($2::text[]) as copy (name) where o.name = $1`, first, names],
    );
    const pairs = `join source n on n.name = any($2) where o.source_id = (select id from source where name = $1)`;
    for (const { child, column } of await referring(database, 'source')) {
      // All sources write to one project, so their sensors need different names.
      const own: Readonly<Record<string, string>> = { stream: 'selection', work: 'id' };
      const value = child === 'work' ? 'n.id' : `jsonb_build_object('group', n.name)`;
      const group = own[child] === undefined ? {} : { [own[child]]: value };
      if (column !== 'source_id') continue;
      await copyRows(database, child, { source_id: 'n.id', ...group }, [`from ${child} o ${pairs}`, first, names]);
    }
    const streams = `join stream os on os.id = o.stream_id join source n on n.name = any($2)
      join stream ns on ns.source_id = n.id and ns.key = os.key
      where os.source_id = (select id from source where name = $1)`;
    for (const { child, column } of await referring(database, 'stream')) {
      if (column !== 'stream_id') continue;
      await copyRows(database, child, { stream_id: 'ns.id' }, [`from ${child} o ${streams}`, first, names]);
    }
  }
  await database.run(
    `update stream set selection = jsonb_build_object('group', $1::text) where source_id = (select id from source where name = $1)`,
    [first],
  );
  await database.run('analyze');
  return [first, ...names];
}

/** Inserts rows of `table` that are selected from its own rows `o`, with other values for some columns. */
async function copyRows(
  database: Database,
  table: string,
  others: Readonly<Record<string, string>>,
  [from, first, names]: readonly [from: string, first: string, names: readonly string[]],
): Promise<void> {
  const columns = await database.rows<{ name: string }>(
    `select attname::text as name from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' and attidentity = ''`,
    [table],
  );
  const values = columns.map(({ name }) => others[name] ?? `o.${name}`);
  await database.run(
    `insert into ${table} (${columns.map(({ name }) => name).join()}) select ${values.join()} ${from}`,
    [first, names],
  );
}

/** The tables with a foreign key to `table`. */
const referring = (database: Database, table: string): Promise<{ child: string; column: string }[]> =>
  database.rows(
    `select conrelid::regclass::text as child, attname::text as column from pg_constraint
     join pg_attribute on attrelid = conrelid and attnum = conkey[1]
     where contype = 'f' and cardinality(conkey) = 1 and confrelid = $1::regclass order by 1`,
    [table],
  );

/** Puts every source on its grid, with its first due instant after `start` and nothing to catch up. */
export async function dueFrom(
  database: Database,
  names: readonly string[],
  { every }: Pick<Many, 'every'>,
  start: Instant,
): Promise<void> {
  const from = Math.floor(start / SECOND) * SECOND - SECOND;
  await setOnSources(
    database,
    names,
    'phase_us',
    names.map((name) => phaseOf(name, every)),
  );
  await setOnSources(
    database,
    names,
    'start_at',
    names.map(() => from),
  );
  await setDue(
    database,
    names,
    names.map((name) => nextDue(name, every, start)),
  );
}

/** Lets every source poll once before its own time, as after a start over sources that were due long ago. */
export const allDue = (database: Database, names: readonly string[], now: Instant): Promise<void> =>
  setDue(
    database,
    names,
    names.map(() => now),
  );

async function setDue(database: Database, names: readonly string[], at: readonly Instant[]): Promise<void> {
  await setOnSources(database, names, (await hasWork(database)) ? 'due_at' : 'next_due_at', at);
}

/** Sets a column of the sources in whichever of their tables it stands. */
async function setOnSources(
  database: Database,
  names: readonly string[],
  column: string,
  values: readonly Microseconds[],
): Promise<void> {
  const tables = await database.rows<{ name: string; key: string }>(
    `select table_name as name, key.column_name as key
     from information_schema.columns c join information_schema.columns key using (table_schema, table_name)
     where table_schema = 'public' and c.column_name = $1 and key.column_name = case table_name when 'source' then 'id' else 'source_id' end`,
    [column],
  );
  const value = column.endsWith('_at') ? 'at_instant(given.value)' : 'given.value';
  for (const { name, key } of tables) {
    await database.run(
      `update ${name} set ${column} = ${value} from unnest($1::text[], $2::bigint[]) as given (name, value)
       join source s on s.name = given.name where ${name}.${key} = s.id`,
      [names, values],
    );
  }
}
