import { beforeEach, expect, test } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { useDatabases } from '../kit/databases.ts';
import { SEALING_KEY } from './access-rig.ts';
import { databridgeHere } from './command-line.ts';
import type { Ran } from './command-line.ts';

// Two organisations each have a source with the name `north`.

const databases = useDatabases();
let database: Database;

const settings = () => ({
  env: { DATABASE_URL: database.url, DATABRIDGE_KEY: SEALING_KEY, DATABRIDGE_HOME: '/nowhere' },
});
const runWith = (stdin: string, ...args: readonly string[]): Promise<Ran> =>
  databridgeHere(args, { stdin, ...settings() });
const run = (...args: readonly string[]): Promise<Ran> => databridgeHere(args, settings());

const textOf = (organisation: string, user: string): string => `
name: north
organisation: ${organisation}
project: pumps
kind: user-credentials
platform: influxdb
connection: { url: 'http://127.0.0.1:9', username: ${user}, password: s3cret }
options: { database: plant }
schedule: { every: 1m }`;

const stored = (): Promise<unknown[]> =>
  database.rows(
    `select organisation_id as organisation, config #>> '{connection,username}' as user, state, revision
     from source order by 1`,
  );

beforeEach(async () => {
  database = await databases.create();
  await database.run(`insert into organisation (id, name) values ('acme', 'Acme')`);
  await database.run(
    `insert into ml_project (organisation_id, code, name) values ('default', 'pumps', 'P'), ('acme', 'pumps', 'P')`,
  );
  expect(await runWith(textOf('default', 'anna'), 'source', 'apply', '-')).toMatchObject({
    code: 0,
    stdout: 'source north created\n',
  });
});

test('a source of another organisation is another source, which leaves the first one as it was', async () => {
  const [first] = await stored();
  expect(await runWith(textOf('acme', 'otto'), 'source', 'apply', '-')).toMatchObject({
    code: 0,
    stdout: 'source acme/north created\n  another source north stands in organisation default; it stays as it is\n',
  });
  const second = { organisation: 'acme', user: 'otto', state: 'active', revision: 1 };
  expect(await stored()).toEqual([second, first]);
  // Each file changes its own source.
  await runWith(textOf('acme', 'olga'), 'source', 'apply', '-');
  expect(await stored()).toEqual([{ ...second, user: 'olga', revision: 2 }, first]);
  const list = await run('source', 'list');
  expect(list.stdout).toMatch(/^acme +north +pumps .*\ndefault +north +pumps /m);
});

test('a command names an ambiguous source by its organisation', async () => {
  await runWith(textOf('acme', 'otto'), 'source', 'apply', '-');
  const range = ['--from', '2026-01-01T00:00:00Z', '--to', '2026-01-02T00:00:00Z'] as const;
  const backfill = ['backfill', 'start', 'north', ...range, '--detach'] as const;
  const commands = [
    ['source', 'show', 'north'],
    ['source', 'refusals', 'north'],
    ['source', 'poll', 'north'],
    ['source', 'pause', 'north'],
    ['source', 'resume', 'north'],
    backfill,
    ['source', 'remove', 'north', '--yes'],
  ] as const;
  const untouched = await stored();
  for (const command of commands) {
    expect(await run(...command), command.join(' ')).toMatchObject({
      code: 2,
      stderr:
        'error: source north stands in 2 organisations: acme, default\n  try: name one of them, such as --organisation acme\n',
    });
  }
  expect(await stored()).toEqual(untouched);
  for (const command of commands) {
    expect(await run(...command, '--organisation', 'acme'), command.join(' ')).toMatchObject({ code: 0 });
  }
  expect(await stored()).toEqual([untouched[1]]);
  const audit = await database.rows(`select action, detail ->> 'organisation' as organisation from audit order by id`);
  expect(audit).toEqual([
    { action: 'source.created', organisation: 'default' },
    { action: 'source.created', organisation: 'acme' },
    { action: 'source.poll', organisation: 'acme' },
    { action: 'source.pause', organisation: 'acme' },
    { action: 'source.resume', organisation: 'acme' },
    { action: 'backfill.started', organisation: 'acme' },
    { action: 'source.remove', organisation: 'acme' },
  ]);
  expect(await run('source', 'restore', 'north')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(
      /^the configuration that cli:\S+ removed at \S+Z\nsource acme\/north created\n/,
    ) as string,
  });
  expect(await stored()).toMatchObject([{ organisation: 'acme', user: 'otto' }, untouched[1]]);
  expect(await run('source', 'remove', 'north', '--organisation', 'acme')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('try: add --yes') as string,
  });
  expect(await run('source', 'remove', 'north', '--organisation', 'acme', '--yes')).toMatchObject({ code: 0 });
  // The name is not ambiguous any more.
  expect(await run('source', 'pause', 'north')).toMatchObject({ code: 0, stdout: 'source north paused\n' });
  expect(await run('source', 'pause', 'north', '--organisation', 'acme')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^error: there is no source north in organisation acme\n/) as string,
  });
});

test('the project of a source belongs to its organisation', async () => {
  await expect(
    database.run(`update source set project_id = (select id from ml_project where organisation_id = 'acme')`),
  ).rejects.toThrow(/foreign key/);
});
