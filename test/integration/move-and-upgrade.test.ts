import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterEach, expect, it } from 'vitest';
import { makeBridge } from '../kit/bridge.ts';
import { useDatabases } from '../kit/databases.ts';
import { startProcess } from '../kit/process.ts';
import type { RunningProcess } from '../kit/process.ts';
import { MAIN } from '../kit/joined-program.ts';
import { startRedis } from '../kit/redis.ts';
import { makeTempDirectory } from '../kit/temp-directory.ts';
import { databridge, environment } from './command-line.ts';
import { Waiting, eventually } from './daemon-rig.ts';
import { NONE, device, differences, livingPlant, startPlant, thingsboard } from './plant-simulator.ts';

// docs/move.md and docs/upgrade.md, by the commands that stand there.

const ROOT = join(import.meta.dirname, '../..');

const databases = useDatabases();
const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanups.splice(0).toReversed()) await cleanUp();
});

/** The commands of a page, with other addresses. */
async function commandsOf(name: string, addresses: Readonly<Record<string, string>>): Promise<string> {
  const page = await readFile(join(ROOT, 'docs', name), 'utf8');
  let commands = /```sh\n([^]*?)```/.exec(page)?.[1] ?? '';
  for (const [address, real] of Object.entries(addresses)) {
    expect(commands).toContain(address);
    commands = commands.replaceAll(address, real);
  }
  return commands;
}

/** Runs commands, of which the last one is `databridge up`, in a directory whose `bin` is on the path, until it is up. */
async function follow(commands: string, directory: string, env: NodeJS.ProcessEnv): Promise<RunningProcess> {
  const running = await startProcess({
    name: 'the page',
    command: 'bash',
    args: ['-c', commands.replace(/\n(.*databridge up)\n$/, '\nexec $1\n')],
    cwd: directory,
    // The library of the migrations keeps a cache there.
    env: { ...env, TMPDIR: directory, PATH: `${join(directory, 'bin')}:${env['PATH']}` },
    ready: (page) => page.output().includes('databridge is up'),
  });
  cleanups.push(() => running.kill9());
  return running;
}

async function program(path: string, text: string): Promise<void> {
  await writeFile(path, `#!/bin/sh\n${text}\n`);
  await chmod(path, 0o755);
}

/** A databridge of a later version, with one more migration. @returns its program */
async function laterVersion(directory: string): Promise<string> {
  await mkdir(directory);
  for (const part of ['src', 'adapters']) await cp(join(ROOT, part), join(directory, part), { recursive: true });
  const described = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as object;
  await writeFile(join(directory, 'package.json'), JSON.stringify({ ...described, version: '9.9.9' }));
  await symlink(join(ROOT, 'node_modules'), join(directory, 'node_modules'));
  const migration = 'create table later (id int); alter table source add column later int not null default 7';
  await writeFile(join(directory, 'src/database/migrations/9999_later.sql'), migration);
  return join(directory, 'src/main.ts');
}

it('docs/move.md and docs/upgrade.md move a bridge to another PostgreSQL and Redis, and bring it to a later version, and no reading is lost', async () => {
  const truth = livingPlant([device(1), device(2)], 2);
  const plant = await startPlant({ truth });
  cleanups.push(() => plant.stop());
  const old = await makeBridge({ DATABASE_URL: undefined });
  cleanups.push(() => old.remove());
  await old.succeed('project', 'create', 'hall');
  const schedule = { every: '500ms', start: '10m', settle: '1s', overlap: '0s' };
  await old.apply(thingsboard('hall-3', plant.url, { schedule }));
  const first = await old.up();
  const embedded = await old.database();
  await eventually('the first readings are there', async () => {
    const { rows } = await embedded.client.query('select from reading limit 1');
    return rows.length > 0;
  });
  await embedded.close();
  // It stops the embedded server, too, which writes all to the disk before.
  expect((await first.stop()).code).toBe(0);

  const place = await makeTempDirectory('move');
  cleanups.push(() => place.remove());
  await mkdir(join(place.path, 'bin'));
  await symlink(old.home, join(place.path, '.databridge'));
  await program(join(place.path, 'bin/npx'), `shift; exec "${process.execPath}" "${MAIN}" "$@"`);
  // The database of the test is there already.
  await program(join(place.path, 'bin/createdb'), '[ "$1" = bridge ]');
  const redis = await startRedis();
  cleanups.push(() => redis.stop());
  const url = await databases.createEmpty();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  cleanups.push(() => client.end());
  const covered = async (): Promise<void> => {
    const untilMs = Date.now();
    await eventually('everything is covered', async () => {
      const { rows } = await client.query<{ done: boolean }>(
        `select stream.covered @> tstzrange(start_at, at_instant($1)) as done from stream join source on source.id = source_id`,
        [untilMs * 1000],
      );
      return (rows.length === 2 && rows.every(({ done }) => done)) || new Waiting(rows);
    });
  };
  const assertTrue = async (): Promise<void> => {
    const { rows } = await client.query<{ start: string }>('select instant_of(start_at) as start from source');
    const toMs = Date.now() - 3_000;
    await covered();
    expect(await differences(client, truth, { fromMs: Number(rows[0]?.start) / 1000, toMs })).toEqual(NONE);
  };

  const moved = await commandsOf('move.md', {
    'postgres://bridge@db.example/bridge': url,
    'redis://db.example:6379': redis.url,
  });
  const before = await follow(moved, place.path, environment());
  await assertTrue();
  expect(before.output()).toContain('"queue":"Redis"');

  // The process of the earlier version goes on until the later one changes the schema.
  const later = await laterVersion(join(place.path, 'later'));
  await program(join(place.path, 'bin/databridge'), `exec "${process.execPath}" "${MAIN}" "$@"`);
  await program(
    join(place.path, 'bin/npm'),
    `[ "$*" = 'install --global databridge-NEW.tgz' ] && sed -i 's#${MAIN}#${later}#' "${join(place.path, 'bin/databridge')}"`,
  );
  const DATABRIDGE_KEY = await readFile(join(old.home, 'sealing.key'), 'utf8');
  const settings = environment({
    DATABASE_URL: url,
    REDIS_URL: redis.url,
    DATABRIDGE_KEY,
    DATABRIDGE_HOME: join(place.path, 'home'),
  });
  const after = await follow(await commandsOf('upgrade.md', {}), place.path, settings);
  expect(after.output()).toMatch(/bringing the database forward: 9999_later \(1 of 1\)/);
  expect(after.output()).toMatch(/9999_later, of \S+ by databridge 9\.9\.9; this is 9\.9\.9/);
  expect((await before.exited).code).toBe(2);
  expect(before.output()).toContain('use databridge 9.9.9 or newer on every host');
  expect(await databridge(['source', 'list'], { env: settings })).toMatchObject({ code: 2 });
  await assertTrue();
  expect((await after.stop(60_000)).code).toBe(0);

  // The way back: the earlier version, and the backup that it made.
  const back = await databases.createEmpty();
  const restored = await databridge(['restore', join(place.path, 'before-upgrade.backup')], {
    env: { ...settings, DATABASE_URL: back },
  });
  expect(restored).toMatchObject({ code: 0, stderr: '' });
  expect(restored.stdout).not.toContain('brought forward');
  // The later version brings the same backup forward.
  const ahead = await databases.createEmpty();
  const brought = await promisify(execFile)(
    process.execPath,
    [later, 'restore', join(place.path, 'before-upgrade.backup')],
    { env: { ...settings, DATABASE_URL: ahead } },
  );
  expect(brought.stdout).toContain('brought forward by 1 migration');
  const forward = await databridge(['backup', join(place.path, 'later.backup')], { env: settings });
  expect(forward.code).toBe(2);
});
