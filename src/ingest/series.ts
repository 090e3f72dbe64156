import type { Batch, Column } from '../core/batch.ts';
import { rowsOf } from '../database/database.ts';
import type { Database } from '../database/database.ts';
import type { NumberedColumn } from './rows.ts';

/** The names whose numbers are remembered have at most this many characters in all, and so have the label sets: some 40 MB each. */
const MOST_CHARACTERS = 20_000_000;

/** An entry takes about as much memory as this many characters besides its name. */
const ENTRY_CHARACTERS = 50;

/**
 * Numbers series and label sets; the columns come back sorted by series. A number that was looked up once is remembered,
 * because a name never changes its number.
 */
export function numbering(
  database: Database,
): (projectId: number, batch: Pick<Batch, 'columns'>) => Promise<NumberedColumn[]> {
  const series = remembering();
  const labelSets = remembering();
  database.memory.onForget(() => {
    series.clear();
    labelSets.clear();
  });
  const labelKeys = new WeakMap<readonly string[], string>();

  const keyOf = (labels: readonly string[]): string => {
    let key = labelKeys.get(labels);
    if (key === undefined) {
      key = JSON.stringify(labels);
      labelKeys.set(labels, key);
    }
    return key;
  };

  /** The numbers of columns, in their order. */
  async function seriesOf(projectId: number, columns: readonly Column[]): Promise<number[]> {
    const keys = columns.map((column) => seriesKey(projectId, column));
    const known = keys.map((key) => series.get(key));
    if (known.every((number) => number !== undefined)) return known;
    const wanted = new Map(columns.map((column, index) => [keys[index] as string, column]));
    const names = (missing: readonly Column[]): unknown[] => [
      projectId,
      missing.map(({ sensorId }) => sensorId),
      missing.map(({ valueName }) => valueName),
    ];
    const found = await numbersOf(series, wanted, {
      async look(missing) {
        const rows = await database.memory.learn((client) =>
          rowsOf<{ id: number; sensorId: string; valueName: string }>(client, LOOK_UP_SERIES, names(missing)),
        );
        return rows.map((row) => [seriesKey(projectId, row), row.id]);
      },
      make: (missing) => database.run(MAKE_SERIES, names(missing)),
    });
    return keys.map((key) => certain(found.get(key), key));
  }

  async function labelSetsOf(columns: readonly Column[]): Promise<Map<string, number>> {
    const wanted = new Map<string, readonly string[]>();
    for (const { segments } of columns) {
      for (const { labels } of segments) if (labels.length > 0) wanted.set(keyOf(labels), labels);
    }
    if (wanted.size === 0) return wanted as Map<string, never>;
    return await numbersOf(labelSets, wanted, {
      async look(missing) {
        const rows = await database.memory.learn((client) =>
          rowsOf<{ id: number; labels: string[] }>(client, LOOK_UP_LABEL_SETS, [JSON.stringify(missing)]),
        );
        return rows.map(({ id, labels }) => [keyOf(labels), id]);
      },
      make: (missing) => database.run(MAKE_LABEL_SETS, [JSON.stringify(missing)]),
    });
  }

  return async (projectId, { columns }) => {
    const numbers = await seriesOf(projectId, columns);
    const found = await labelSetsOf(columns);
    const numbered = columns.map((column, index) => ({
      series: numbers[index] as number,
      column,
      labelSets: column.segments.map(({ labels }) =>
        labels.length === 0 ? null : certain(found.get(keyOf(labels)), keyOf(labels)),
      ),
    }));
    return numbered.sort((one, other) => one.series - other.series);
  };
}

/** SQL: the series of project $1 with the names in $2 and $3. */
export const LOOK_UP_SERIES = `
  select id, sensor_id as "sensorId", value_name as "valueName" from series join unnest($2::text[], $3::text[]) as wanted (sensor_id, value_name)
  using (sensor_id, value_name) where project_id = $1`;

/**
 * Names were admitted before (new-names.ts), so this makes a series only where the database was replaced by an older state
 * meanwhile. Then it counts, too.
 */
const MAKE_SERIES = `
  with project as (select id from ml_project where id = $1 for no key update),
  made as (
    insert into series (project_id, sensor_id, value_name)
    select project.id, sensor_id, value_name from unnest($2::text[], $3::text[]) as given (sensor_id, value_name), project
    order by 2, 3 on conflict do nothing returning id)
  update ml_project set series_made = series_made + (select count(*) from made) where id = $1`;

const WANTED_LABEL_SETS = `
  wanted as (
    select array(select jsonb_array_elements_text(labels)) as labels from jsonb_array_elements($1::jsonb) as row (labels))`;

/** SQL: the label sets in $1, a JSON array of arrays. */
export const LOOK_UP_LABEL_SETS = `with ${WANTED_LABEL_SETS} select id, labels from label_set join wanted using (labels)`;

/** Inserted in order, so that two processes that make the same sets never wait for each other in a ring. */
const MAKE_LABEL_SETS = `
  with ${WANTED_LABEL_SETS}
  insert into label_set (labels) select labels from wanted order by labels on conflict do nothing`;

/**
 * Takes numbers from memory, otherwise looks them up, otherwise makes them. Only missing numbers are made, because an
 * insert that finds its row uses up a number all the same, and there are only two thousand million.
 */
async function numbersOf<W>(
  remembered: Remembered,
  wanted: ReadonlyMap<string, W>,
  {
    look,
    make,
  }: {
    readonly look: (missing: readonly W[]) => Promise<[string, number][]>;
    readonly make: (missing: readonly W[]) => Promise<unknown>;
  },
): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (const key of wanted.keys()) {
    const number = remembered.get(key);
    if (number !== undefined) found.set(key, number);
  }
  const missing = (): W[] => [...wanted].filter(([key]) => !found.has(key)).map(([, item]) => item);
  const lookUp = async (): Promise<void> => {
    for (const [key, number] of await look(missing())) {
      found.set(key, number);
      remembered.set(key, number);
    }
  };
  if (found.size < wanted.size) await lookUp();
  if (found.size < wanted.size) {
    await make(missing());
    await lookUp();
  }
  return found;
}

/** Numbers by name, as many as fit. */
export interface Remembered {
  get(name: string): number | undefined;
  set(name: string, number: number): void;
  clear(): void;
  readonly size: () => number;
}

/** Above `most` characters it is emptied. That harms no batch that is being numbered, because each batch keeps its own numbers. */
export function remembering(most = MOST_CHARACTERS): Remembered {
  const numbers = new Map<string, number>();
  let characters = 0;
  const clear = (): void => {
    numbers.clear();
    characters = 0;
  };
  return {
    get: (name) => numbers.get(name),
    set(name, number) {
      const more = numbers.has(name) ? 0 : name.length + ENTRY_CHARACTERS;
      if (characters + more > most) clear();
      characters += more;
      numbers.set(name, number);
    },
    clear,
    size: () => numbers.size,
  };
}

/** Throws where a number is missing, because a reading without one would belong to no series. */
function certain(number: number | undefined, key: string): number {
  if (number === undefined) throw new Error(`the database gave no number to ${key}`);
  return number;
}

const seriesKey = (projectId: number, column: { sensorId: string; valueName: string }): string =>
  `${projectId}\n${column.sensorId}\n${column.valueName}`;
