import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import type { TempDirectory } from '../kit/temp-directory.ts';
import type { Client } from './api-rig.ts';
import { databridgeHere } from './command-line.ts';
import type { Ran } from './command-line.ts';

/** A reading of a file that is pushed. */
export interface FileReading {
  readonly sensorId: string;
  readonly date: string;
  readonly value: number;
}

/** `count` readings of ten sensors; no two have the same sensor and second. */
export const fileReadings = (count: number): FileReading[] =>
  Array.from({ length: count }, (_, index) => ({
    sensorId: `pump-${index % 10}`,
    date: `${new Date(Date.UTC(2026, 0, 1) + Math.floor(index / 10) * 1000).toISOString().slice(0, 19)}Z`,
    value: index / 8,
  }));

export const ndjson = (records: readonly unknown[]): string =>
  records.map((record) => `${typeof record === 'string' ? record : JSON.stringify(record)}\n`).join('');

/** Writes a file and returns its path. */
export async function fileOf(directory: TempDirectory, name: string, text: string): Promise<string> {
  const path = join(directory.path, name);
  await writeFile(path, text);
  return path;
}

/** The address and credentials of an application, as the environment of the command. */
export const credentials = (url: string, client: Pick<Client, 'applicationId' | 'secret'>): NodeJS.ProcessEnv => ({
  DATABRIDGE_PUSH_URL: url,
  DATABRIDGE_APPLICATION_ID: client.applicationId,
  DATABRIDGE_APPLICATION_SECRET: client.secret,
});

/** Runs `databridge push` to its end, and checks that its output holds no secret. */
export async function push(env: NodeJS.ProcessEnv, args: readonly string[], stdin?: string): Promise<Ran> {
  const ran = await databridgeHere(['push', ...args], stdin === undefined ? { env } : { env, stdin });
  const secret = env['DATABRIDGE_APPLICATION_SECRET'];
  if (secret) expect(ran.stdout + ran.stderr).not.toContain(secret);
  return ran;
}

/** Everything stored in a project as `sensorId date value`, sorted. */
export async function storedIn(database: Database, project = 'hall'): Promise<string[]> {
  const rows = await database.rows<{ found: string }>(
    `select sensor_id || to_char(at at time zone 'UTC', ' YYYY-MM-DD"T"HH24:MI:SS"Z" ') || value as found
     from reading join series on series.id = series join ml_project on ml_project.id = project_id where code = $1`,
    [project],
  );
  return rows.map(({ found }) => found).toSorted();
}

/** The readings of a file in the form of `storedIn`. */
export const expectedOf = (readings: readonly FileReading[]): string[] =>
  readings.map(({ sensorId, date, value }) => `${sensorId} ${date} ${value}`).toSorted();

/** The values in a file of NDJSON. */
export const linesOf = async (path: string): Promise<unknown[]> =>
  (await readFile(path, 'utf8'))
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown);
