import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { findSources } from '../../src/source/find-source.ts';
import { changeSources } from '../../src/source/state-change.ts';
import { makeBridge } from '../kit/bridge.ts';
import { useDatabases } from '../kit/databases.ts';
import { good, makeGround } from './registration-ground.ts';

const databases = useDatabases();
const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanups.splice(0).toReversed()) await cleanUp();
});

const influx = (name: string, every = '10s', password = 's3cret-first'): string =>
  JSON.stringify({
    name,
    project: 'hall',
    kind: 'user-credentials',
    platform: 'influxdb',
    connection: { url: 'http://127.0.0.1:1', username: 'reader', password },
    options: { database: 'plant' },
    schedule: { every },
  });

it('a directory is applied file by file, its drift is told, and sources without a file are removed where that is wanted', async () => {
  const bridge = await makeBridge({ DATABASE_URL: await databases.createMigrated() });
  cleanups.push(() => bridge.remove());
  const { client, close } = await bridge.database();
  cleanups.push(close);
  await client.query(
    `insert into ml_project (organisation_id, code, name) values ('default', 'hall', 'H'), ('default', 'other', 'O')`,
  );
  const directory = join(bridge.home, 'sources');
  await mkdir(directory);
  const write = (name: string, text: string): Promise<void> => writeFile(join(directory, name), text);
  const apply = (...options: string[]) => bridge.answer('source', 'apply', ...options, directory);
  const names = async (): Promise<string[]> =>
    (await client.query<{ name: string }>('select name from source order by name')).rows.map(({ name }) => name);

  // A file that is wrong, and one whose project does not exist, stop no other.
  await write('a.yaml', influx('a'));
  await write('b.yaml', influx('b').replace('10s', 'never'));
  await write('c.yaml', `${influx('c')}\n---\n${influx('d').replace('"hall"', '"nowhere"')}`);
  await write('e.yaml', influx('e').replace('"hall"', '"other"'));
  const partly = await apply();
  expect(partly.code).toBe(2);
  expect(partly.stdout).toContain('4 files: 2 created; 2 files are wrong and left out');
  expect(partly.stderr).toMatch(/b\.yaml:1:\d+: schedule\.every/);
  expect(partly.stderr).toMatch(
    /error: .*c\.yaml: there is no project nowhere[^]*try: databridge project create nowhere/,
  );
  expect(await names()).toEqual(['a', 'e']);

  // Nothing is removed while a file is wrong.
  await rm(join(directory, 'a.yaml'));
  const careful = await apply('--prune', '--yes');
  expect(careful).toMatchObject({ code: 2, stdout: expect.stringContaining('nothing is removed while') as string });
  await write('b.yaml', influx('b'));
  expect((await apply('--prune', '--yes')).code).toBe(2);
  expect(await names()).toEqual(['a', 'b', 'e']);

  // Drift: only in the files, only in the bridge, other fields; a secret only differs.
  await rm(join(directory, 'e.yaml'));
  await write('b.yaml', influx('b', '20s', 's3cret-second'));
  await write('c.yaml', influx('c'));
  const drift = await apply('--dry-run', '--prune');
  expect(drift.code).toBe(3);
  for (const line of [
    `source b would be changed, by ${join(directory, 'b.yaml')}\n`,
    '  connection.password: (secret) → (secret changed)\n',
    '  schedule.every: 10s → 20s\n',
    'source c would be created, by',
    'source a would be removed: it is in no file, project hall\n',
    '2 files: 1 to create, 1 to change, 1 to remove\n',
  ])
    expect(drift.stdout).toContain(line);
  expect(drift.stdout).not.toMatch(/s3cret|source e/);
  const told = JSON.parse((await apply('--dry-run', '--json')).stdout) as object;
  expect(told).toMatchObject({
    dryRun: true,
    files: [{ sources: [{ name: 'b', action: 'changed' }] }, { sources: [{ name: 'c', action: 'created' }] }],
    onlyInBridge: [{ name: 'a', project: 'hall' }],
    removed: [],
  });
  expect(await names()).toEqual(['a', 'b', 'e']);

  // Without a terminal nothing can be asked.
  expect(await apply('--prune')).toMatchObject({
    code: 2,
    stdout: expect.stringContaining('source a is in no file') as string,
    stderr: expect.stringContaining('add --yes') as string,
  });
  expect(await names()).toEqual(['a', 'b', 'e']);
  const pruned = await apply('--prune', '--yes');
  expect(pruned).toMatchObject({ code: 0, stderr: '' });
  expect(pruned.stdout).toContain('2 files: 1 created, 1 changed, 1 removed\n');
  expect(await names()).toEqual(['b', 'c', 'e']);
  expect(await apply('--prune', '--dry-run')).toMatchObject({ code: 0, stdout: '2 files: 2 unchanged\n' });

  // The bridge as files: they lead to the same sources, except for the secrets that they leave out.
  const into = join(bridge.home, 'exported');
  const exported = await bridge.succeed('source', 'export', '--all', '--into', into);
  expect(exported).toContain('3 files in');
  expect(exported).toContain('  B_PASSWORD\n');
  expect(await readdir(into)).toEqual(['b.yaml', 'c.yaml', 'e.yaml']);
  const text = await readFile(join(into, 'b.yaml'), 'utf8');
  expect(text).toMatch(/# The bridge holds this secret sealed.*\n +password: \$\{env:B_PASSWORD\}\n/);
  expect(text).not.toContain('s3cret');
  const same = await bridge.answer('source', 'apply', '--dry-run', '--prune', '--json', into);
  expect(same.code).toBe(3);
  const { files } = JSON.parse(same.stdout) as { files: { sources: { differences: { path: string }[] }[] }[] };
  for (const { sources } of files)
    expect(sources[0]?.differences.map(({ path }) => path)).toEqual(['connection.password']);
  expect(await bridge.answer('source', 'export', '--all', '--into', into)).toMatchObject({ code: 2 });

  // Several names and patterns.
  const paused = await bridge.answer('source', 'pause', 'b', '[bc]', '?');
  expect(paused).toMatchObject({ code: 2, stderr: expect.stringContaining('there is no source [bc]') as string });
  expect(await bridge.succeed('source', 'pause', 'e', '?')).toMatch(/3 of 3 sources paused\n$/);
  const resumed = await bridge.answer('source', 'resume', 'c', 'c');
  expect(resumed.stdout).toContain('1 of 1 sources resumed');
  const polled = await bridge.answer('source', 'poll', '*');
  expect(polled.code).toBe(1);
  expect(polled.stdout).toMatch(
    /^b +not done: source b is paused[^]*^c +will be polled now$[^]*1 of 3 sources will be polled/m,
  );
  for (const line of polled.stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  expect(await bridge.answer('source', 'remove', '*')).toMatchObject({
    code: 2,
    stdout: '  b\n  c\n  e\n',
    stderr: expect.stringContaining('add --yes') as string,
  });
  expect(await names()).toEqual(['b', 'c', 'e']);
  expect(await bridge.succeed('source', 'remove', '--yes', '*')).toContain('3 of 3 sources removed');
  expect(await names()).toEqual([]);
});

it('a pattern finds sources by their whole name, in one organisation', async () => {
  const { database, apply } = await makeGround(databases);
  for (const name of ['plant-1', 'plant-2', 'plant10', 'a-plant-1']) await apply({ name });
  const found = async (...given: string[]): Promise<string[]> =>
    (await findSources(database, given, undefined)).map(({ name }) => name);
  expect(await found('plant-*')).toEqual(['plant-1', 'plant-2']);
  expect(await found('plant?1*', 'plant-1')).toEqual(['plant-1']);
  expect(await found('plant10', '*0', 'plant-2')).toEqual(['plant10', 'plant-2']);
  await expect(found('plant-1', 'nothing-*')).rejects.toMatchObject({ code: 'config-invalid' });
  for (const odd of ['plant_?', '%*']) await expect(found(odd)).rejects.toMatchObject({ code: 'config-invalid' });
  await database.run(`insert into organisation (id, name) values ('acme', 'A')`);
  await database.run(`insert into ml_project (organisation_id, code, name) values ('acme', 'presses', 'P')`);
  await apply({ name: 'plant-3', organisation: 'acme', project: good.project });
  await expect(found('plant-*')).rejects.toMatchObject({ remedy: expect.stringContaining('--organisation') as string });
  expect(await findSources(database, ['plant-*'], 'acme')).toMatchObject([{ name: 'plant-3' }]);

  const all = await findSources(database, ['plant-*'], 'default');
  await changeSources(database, 'pause', all.slice(0, 1), 'tester');
  const polled = await changeSources(database, 'poll', all, 'tester');
  expect(polled.map(({ error }) => error?.message)).toEqual(['source plant-1 is paused', undefined]);
});
