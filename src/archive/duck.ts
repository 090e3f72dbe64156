import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { DuckDBConnection, DuckDBInstance, DuckDBValue } from '@duckdb/node-api';

/** What DuckDB may hold at a time for all moves and reads of this process. What is more goes to files in the work directory. */
const MEMORY = '768MB';

/** Unfinished files, and those that DuckDB makes for itself. Programs that open the archive see none of them. */
export const workDirectory = (directory: string): string => join(directory, '.work');

const instances = new Map<string, Promise<DuckDBInstance>>();

/**
 * A connection to a DuckDB in this process that may read and write the archive and nothing else, and that loads nothing from the
 * network. The caller closes it. The first one of a process loads 70 MB of native code. It has one thread, so that rows come in the
 * order of their files.
 */
export async function connectDuck(directory: string): Promise<DuckDBConnection> {
  // Each time, because the archive may have been brought back from a copy, which has no such directory.
  await mkdir(workDirectory(directory), { recursive: true });
  let instance = instances.get(directory);
  if (instance === undefined) {
    instance = begin(directory);
    instances.set(directory, instance);
    instance.catch(() => instances.delete(directory));
  }
  return await (await instance).connect();
}

async function begin(directory: string): Promise<DuckDBInstance> {
  const { DuckDBInstance: Instance } = await import('@duckdb/node-api');
  // Each process has its own, because the names in it are the same everywhere.
  const own = join(workDirectory(directory), `duckdb-${randomUUID()}`);
  const instance = await Instance.create(':memory:', {
    threads: '1',
    memory_limit: MEMORY,
    temp_directory: own,
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  });
  const connection = await instance.connect();
  await connection.run(`set allowed_directories = [${duckText(`${directory}/`)}]`);
  await connection.run('set enable_external_access = false');
  await connection.run('set lock_configuration = true');
  connection.closeSync();
  return instance;
}

/** A text in SQL of DuckDB. */
export const duckText = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** A list of texts in SQL of DuckDB. */
export const duckTexts = (texts: readonly string[]): string => `[${texts.map(duckText).join(', ')}]::varchar[]`;

/** A list of whole numbers in SQL of DuckDB. */
export const numberList = (numbers: readonly number[]): string => `[${numbers.join(', ')}]::bigint[]`;

/** All rows of a query, which must be few. Every big integer is a number below 2^53. */
export async function duckRows(connection: DuckDBConnection, sql: string): Promise<unknown[][]> {
  const rows: unknown[][] = [];
  for await (const columns of duckColumns(connection, sql)) {
    const [first = []] = columns;
    for (let row = 0; row < first.length; row += 1) rows.push(columns.map((column) => column[row]));
  }
  return rows;
}

/** The columns of a query, some thousand rows at a time; memory stays flat. */
export async function* duckColumns(connection: DuckDBConnection, sql: string): AsyncGenerator<unknown[][]> {
  const result = await connection.stream(sql);
  for (;;) {
    const chunk = await result.fetchChunk();
    if (chunk === null || chunk.rowCount === 0) return;
    yield chunk.getColumns().map((column: DuckDBValue[]) => column.map(numbered));
  }
}

const numbered = (value: DuckDBValue): unknown => (typeof value === 'bigint' ? Number(value) : value);
