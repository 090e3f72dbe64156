import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createProject } from '../../src/access/projects.ts';
import type { Database } from '../../src/database/database.ts';
import { makePartitions } from '../../src/database/partitions.ts';
import { useDatabases } from '../kit/databases.ts';
import { makeTempDirectory } from '../kit/temp-directory.ts';
import type { TempDirectory } from '../kit/temp-directory.ts';
import { SEALING_KEY } from './access-rig.ts';
import { startBetween } from './between.ts';
import { databridgeHere } from './command-line.ts';
import type { Ran } from './command-line.ts';
import { startOperatorApi } from './operator-rig.ts';
import type { OperatorApiUnderTest } from './operator-rig.ts';

// One computer holds the bridge, another one asks it with `--url` and has neither its database nor its home.

const databases = useDatabases();
let api: OperatorApiUnderTest;
let database: Database;
let place: TempDirectory;
let file: string;

const there = (...args: readonly string[]): Promise<Ran> =>
  databridgeHere(['--url', api.url, ...args], { env: { XDG_CONFIG_HOME: place.path, DATABRIDGE_HOME: '/nowhere' } });

const here = (...args: readonly string[]): Promise<Ran> =>
  databridgeHere(args, {
    env: { DATABASE_URL: database.url, DATABRIDGE_KEY: SEALING_KEY, DATABRIDGE_HOME: '/nowhere' },
  });

/** The fields of a document come in another order from elsewhere. */
const answerOf = ({ code, stdout, stderr }: Ran): unknown => ({
  code,
  stderr,
  answer: /^[[{]/.test(stdout) ? (JSON.parse(stdout) as unknown) : stdout,
});

const sourceText = (name: string, every: string): string => `
name: ${name}
project: pump-hall
kind: user-credentials
platform: influxdb
connection: { url: 'https://influx.example', username: reader, password: s3cret }
options: { database: plant }
schedule: { every: ${every}, start: 2026-11-01T00:00:00Z }
sensors: { table: sensors.csv }
`;

beforeAll(async () => {
  [database, place] = await Promise.all([databases.create(), makeTempDirectory('elsewhere')]);
  api = await startOperatorApi(database);
  await createProject(database, { organisation: 'default', code: 'pump-hall' }, 'test');
  file = join(place.path, 'hall.yaml');
  await writeFile(file, `${sourceText('hall-1', '1m')}---${sourceText('hall-2', '1m')}`);
  await writeFile(join(place.path, 'sensors.csv'), 'tag\npump/flow\n');
});

afterAll(async () => {
  await api?.close();
  await place.remove();
});

describe('a bridge elsewhere', () => {
  it('is asked with a token that is kept in a file of this account', async () => {
    expect(await there('source', 'list')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`databridge login --url ${api.url}`) as unknown,
    });
    const { token } = await api.operator('anna', 'operator');
    const login = (stdin: string): Promise<Ran> =>
      databridgeHere(['login', '--url', `${api.url}/any/path`], { stdin, env: { XDG_CONFIG_HOME: place.path } });
    expect(await login(`dbo_${'A'.repeat(43)}\n`)).toMatchObject({ code: 2, stdout: '' });
    expect(await login(`${token}\n`)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('takes you for anna, operator') as unknown,
    });
    const kept = join(place.path, 'databridge', 'logins.json');
    expect((await stat(kept)).mode & 0o777).toBe(0o600);
    expect((await stat(join(place.path, 'databridge'))).mode & 0o777).toBe(0o700);
    expect(JSON.parse(await readFile(kept, 'utf8'))).toEqual({ logins: { [api.url]: { token } } });
    expect(await there('source', 'list')).toMatchObject({ code: 0, stdout: 'no sources\n' });
  });

  it('takes a file of sources, with its table, as the command on the database does', async () => {
    const dry = await there('source', 'apply', '--dry-run', file);
    expect(dry).toEqual({
      code: 3,
      stdout: 'source hall-1 would be created\nsource hall-2 would be created\n',
      stderr: '',
    });
    expect(await there('source', 'apply', file)).toMatchObject({ code: 0 });
    const shown = await there('source', 'show', 'hall-1', '--json');
    expect(JSON.parse(shown.stdout)).toMatchObject({ config: { sensors: [{ id: 'pump/flow' }] } });
    const [local, remote] = [
      await here('source', 'apply', '--json', file),
      await there('source', 'apply', '--json', file),
    ];
    expect(answerOf(remote)).toEqual(answerOf(local));
    const wrong = join(place.path, 'wrong.yaml');
    await writeFile(wrong, 'name: hall-3\nplatform: influxbd\n');
    const [told, said] = [await here('source', 'apply', wrong), await there('source', 'apply', wrong)];
    expect([said.code, said.stderr]).toEqual([told.code, told.stderr]);
    expect(await there('source', 'apply', place.path)).toMatchObject({ code: 2 });
  });

  it.each([
    [['source', 'list', '--json']],
    [['source', 'list', '--json', '--condition', 'starting', '--limit', '1']],
    [['source', 'show', 'hall-1', '--json']],
    [['source', 'pause', 'hall-1', '--json']],
    [['source', 'resume', 'hall-1', '--json']],
    [['source', 'poll', 'hall-*', '--json']],
    [['source', 'poll', 'hall-1', 'hall-2']],
    [['source', 'pause', 'nothing-*']],
    [['source', 'show', 'nothing']],
    [['source', 'contract', 'hall-1', '--json']],
    [['source', 'contract', 'hall-1']],
    [['source', 'receipt', 'hall-1', '--month', '2026-01']],
    [['source', 'receipt', 'hall-1', '--month', '2026-01', '--json']],
    [['source', 'receipt', 'hall-1', '--month', '2199-01']],
    [['source', 'trace', 'hall-1', '--sensor', 'nothing', '--at', '2026-11-05T00:00:00Z']],
    [['source', 'advise', 'hall-1']],
    [['source', 'advise', 'hall-1', '--json', '--share', '99.9']],
    [['source', 'advise', 'hall-1', '--dry-run']],
    [['backfill', 'list', '--json']],
  ])('has the answer that the command on the database has: %s', async (args) => {
    const local = await here(...args);
    expect(answerOf(await there(...args))).toEqual(answerOf(local));
  });

  it('says what became of a point, and applies what is advised', async () => {
    await database.run(
      `insert into stream (source_id, key, selection, sensors, covered)
       select id, 'late', '{}', '[{"id": "pump/flow"}]', '{[2026-11-01Z,2026-11-02Z)}' from source where name = 'hall-2'`,
    );
    await database.run(
      `insert into window_sum select id, date_trunc('hour', now(), 'UTC'), 'live', 10, 0, 10, 1, 100000, 0, 0, 0, 0, 0, 0 from source where name = 'hall-2'`,
    );
    const now = Date.now() * 1_000;
    await database.transaction((client) => makePartitions(client, 'window_log', now - 3_600_000_000, now));
    await database.run(
      `insert into window_log (stream_id, source_id, lane, from_at, to_at, asked_at, requests, bytes, readings, duplicates, revised, refused, late, waited_ms, http_ms, normalise_ms, store_ms)
       select id, source_id, 'live', now() - interval '40 minutes', now() - interval '30 minutes', now() - interval '10 minutes', 1, 1, 5000, 0, 0, 0, 4000, 0, 1, 1, 1 from stream where key = 'late'`,
    );
    const trace = ['source', 'trace', 'hall-2', '--sensor', 'pump/flow', '--at', '2026-11-01T06:00:00Z'];
    const traced = await there(...trace);
    expect(traced).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('gave no point of that instant') as unknown,
    });
    expect(traced).toEqual(await here(...trace));
    const advise = ['source', 'advise', 'hall-2', '--apply'];
    for (const more of [['--dry-run'], ['--dry-run', '--json']])
      expect(answerOf(await there(...advise, ...more))).toEqual(answerOf(await here(...advise, ...more)));
    const applied = await there(...advise);
    expect(applied).toMatchObject({ code: 0, stdout: expect.stringContaining('source hall-2 changed') as unknown });
    // The password is the stored one.
    const { stdout } = await there('source', 'show', 'hall-2', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ settle: '30m', config: { connection: { password: '(secret)' } } });
    await database.run(`delete from stream where key = 'late'`);
    await database.run('delete from window_sum');
  });

  it('says in its list that every point of a source was refused', async () => {
    await database.run(
      `with read as (
         insert into stream (source_id, key, selection, sensors)
         select id, 'refused', '{}', '[]' from source where name = 'hall-1' returning *),
       summed as (
         insert into window_sum (source_id, hour, lane, windows, failures, requests, bytes, readings, duplicates, revised, refused, late)
         select source_id, date_trunc('hour', now()), 'live', 1, 0, 1, 1, 0, 0, 0, 1, 0 from read)
       insert into refused_hour (stream_id, hour, sensor, variable, reason, points)
       select id, date_trunc('hour', now()), 'pump', 'flow', 'boolean', '{1}' from read`,
    );
    const { stdout } = await there('source', 'list');
    expect(stdout).toMatch(/^hall-1 .* every point of 24h was refused: boolean$/m);
    expect(stdout).not.toMatch(/^hall-2 .*refused/m);
    await database.run(`delete from stream where key = 'refused'`);
    await database.run('delete from window_sum');
  });

  it('refuses a change of a source that another operator has changed meanwhile', async () => {
    const other = await api.operator('bert', 'operator');
    const resume = (name: string) => api.send('POST', `/api/v1/sources/default/${name}/resume`, { as: other });
    const between = await startBetween(api.url);
    const kept = join(place.path, 'databridge', 'logins.json');
    const logins = await readFile(kept, 'utf8');
    const { token } = (JSON.parse(logins) as { logins: Record<string, { token: string }> }).logins[api.url] ?? {};
    await writeFile(kept, JSON.stringify({ logins: { [between.url]: { token } } }));
    const ask = (...args: readonly string[]): Promise<Ran> =>
      databridgeHere(['--url', between.url, ...args], {
        env: { XDG_CONFIG_HOME: place.path, DATABRIDGE_HOME: '/nowhere' },
      });
    const one = join(place.path, 'one.yaml');
    try {
      await writeFile(one, sourceText('hall-1', '7m'));
      between.before('dryRun=false', () => resume('hall-1'));
      expect(await ask('source', 'apply', one)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('source hall-1 was changed since revision') as unknown,
      });
      between.before('DELETE', () => resume('hall-1'));
      expect(await ask('source', 'remove', '--yes', 'hall-1')).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('was changed since revision') as unknown,
      });
      await writeFile(one, sourceText('hall-9', '7m').replace('sensors: { table: sensors.csv }', ''));
      between.before('dryRun=false', () =>
        api.send('POST', '/api/v1/sources/apply', {
          as: other,
          body: sourceText('hall-9', '8m').replace('sensors: { table: sensors.csv }', ''),
          headers: { 'content-type': 'application/yaml' },
        }),
      );
      expect(await ask('source', 'apply', one)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('source hall-9 was registered meanwhile') as unknown,
      });
      expect(JSON.parse((await ask('source', 'show', 'hall-9', '--json')).stdout)).toMatchObject({ every: '8m' });
      expect(await ask('source', 'remove', '--yes', 'hall-9')).toMatchObject({ code: 0 });
    } finally {
      await writeFile(kept, logins);
      await between.close();
    }
  });

  it('is no place for the commands that need the database', async () => {
    for (const args of [['doctor'], ['source', 'coverage', 'hall-1'], ['backup', 'x']]) {
      expect(await there(...args)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('works on the database of the bridge only') as unknown,
      });
    }
  });

  it('is not asked in clear over a network, and says where it does not answer', async () => {
    const ask = (url: string) =>
      databridgeHere(['--url', url, 'source', 'list'], { env: { XDG_CONFIG_HOME: place.path } });
    expect((await ask('http://bridge.example')).stderr).toContain('in clear');
    expect((await ask('nonsense')).stderr).toContain('is not an address');
    const kept = join(place.path, 'databridge', 'logins.json');
    const logins = await readFile(kept, 'utf8');
    await writeFile(kept, JSON.stringify({ logins: { 'http://127.0.0.1:9': { token: 'x' } } }));
    expect(await ask('http://127.0.0.1:9')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('does not answer') as unknown,
    });
    await writeFile(kept, 'broken');
    expect((await ask(api.url)).stderr).toContain('cannot be read');
    await writeFile(kept, logins);
    await chmod(kept, 0o600);
  });

  it('is forgotten', async () => {
    const out = await databridgeHere(['logout', '--url', api.url], { env: { XDG_CONFIG_HOME: place.path } });
    expect(out.code).toBe(0);
    expect(await there('source', 'list')).toMatchObject({ code: 2 });
  });
});
