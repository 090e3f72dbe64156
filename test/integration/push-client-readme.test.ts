import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createProject } from '../../src/access/projects.ts';
import { useDatabases } from '../kit/databases.ts';
import { makeTempDirectory } from '../kit/temp-directory.ts';
import type { TempDirectory } from '../kit/temp-directory.ts';
import { startApi } from './api-rig.ts';
import type { ApiUnderTest } from './api-rig.ts';

const client = join(import.meta.dirname, '../../src/client');

const databases = useDatabases();
let api: ApiUnderTest;
let directory: TempDirectory;
let readme: string;

beforeAll(async () => {
  api = await startApi(databases);
  await createProject(api.database, { organisation: 'default', code: 'pump-hall' }, 'test');
  directory = await makeTempDirectory('push-client-readme');
  readme = await readFile(join(client, 'README.md'), 'utf8');
});

afterAll(async () => {
  await directory.remove();
  await api.close();
});

const blocks = (language: string): string[] =>
  [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'gm'))].map(([, code = '']) => code);

function run(command: string, ...args: string[]): Promise<{ output: string; failed: boolean }> {
  const env = {
    PATH: process.env['PATH'],
    BRIDGE: api.url,
    APPLICATION_ID: api.client.applicationId,
    APPLICATION_SECRET: api.client.secret,
  };
  return new Promise((resolve) => {
    execFile(command, args, { cwd: directory.path, env }, (error, stdout, stderr) =>
      resolve({ output: stdout + stderr, failed: error !== null }),
    );
  });
}

const storedSeconds = async (): Promise<unknown[]> =>
  (
    await api.database.rows<{ found: string }>(
      `select value_name || to_char(at at time zone 'UTC', ' HH24:MI:SS.US ') || value as found
       from reading join series on series.id = series order by 1`,
    )
  ).map(({ found }) => found);

describe('the README of the push client', () => {
  it('has a program that pushes the readings it names', async () => {
    const [program = ''] = blocks('ts');
    const file = join(directory.path, 'program.ts');
    await writeFile(file, program.replaceAll('databridge/client', pathToFileURL(join(client, 'index.ts')).href));
    const first = await run(process.execPath, file);
    expect(first).toEqual({ output: '2 accepted, 0 duplicates, 0 revised\n', failed: false });
    expect((await run(process.execPath, file)).output).toBe('0 accepted, 2 duplicates, 0 revised\n');
    expect(await storedSeconds()).toEqual(['axis_x 08:15:30.123456 4.25', 'axis_y 08:15:30.123456 4.5']);
  });

  it('has calls of curl that work without changes', async () => {
    const calls = blocks('sh');
    const script = calls.map((code, index) => `{\n${code}} > ${index}.txt 2>&1\n`).join('');
    const { output, failed } = await run('bash', '--norc', '-eu', '-o', 'pipefail', '-c', script);
    expect([output, failed]).toEqual(['', false]);
    const answers = await Promise.all(calls.map((_, index) => readFile(join(directory.path, `${index}.txt`), 'utf8')));
    const [none, created, renewed, pushed, packed, sensors, health, ready, keys, openapi, ...more] = answers.map(
      (answer) => (answer === '' ? undefined : (JSON.parse(answer) as unknown)),
    );
    expect([none, more]).toEqual([undefined, []]);
    const token = { token_type: 'bearer', access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/) as string };
    expect(created).toMatchObject(token);
    expect(renewed).toMatchObject(token);
    expect(renewed).not.toEqual(created);
    expect(pushed).toMatchObject({ accepted: 1, refusedCount: 0 });
    expect(packed).toMatchObject({ accepted: 1, refused: [{ pointer: '/1/value', reason: 'text-number' }] });
    expect(sensors).toMatchObject({
      sensors: expect.arrayContaining([expect.objectContaining({ valueName: 'none', count: 2 })]),
    });
    expect([health, ready]).toEqual([{ status: 'ok' }, { status: 'ok' }]);
    expect(keys).toMatchObject({ keys: [{ kty: expect.any(String) as string }] });
    expect(openapi).toMatchObject({ openapi: expect.stringMatching(/^3\.1/) as string });
    expect(await storedSeconds()).toEqual(
      expect.arrayContaining(['none 08:15:30.000000 4.25', 'none 08:15:31.000000 4.5']),
    );
  });

  it('has a call for every path of the API', async () => {
    const { paths } = (await (await fetch(`${api.url}/openapi.json`)).json()) as { paths: Record<string, unknown> };
    const calls = blocks('sh').join('\n');
    for (const path of Object.keys(paths)) {
      const filled = path.replace('{organisation_id}', 'default').replace('{ml_project}', 'pump-hall');
      expect(calls).toContain(`"$BRIDGE${filled}"`);
    }
  });
});
