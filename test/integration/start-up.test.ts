import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { useDatabases } from '../kit/databases.ts';
import { modulesLoadedBy } from '../kit/loaded-modules.ts';
import { makeTempDirectory } from '../kit/temp-directory.ts';
import { SEALING_KEY } from './access-rig.ts';

// Loading modules is most of what a command costs. Each bound is some files above the present number, because every change adds one.

const databases = useDatabases();

/** The libraries of every command that works on the database. */
const USUAL = ['commander', 'ipaddr.js', 'pg', 'pino', 'zod'];

/** The packages of these that databridge itself imports. */
const direct = (packages: readonly string[]): readonly string[] =>
  packages.filter((name) => name in manifest.dependencies);

/** The platforms of which files were loaded. */
const platformsIn = (own: readonly string[]): readonly string[] => [
  ...new Set(own.flatMap((path) => /^adapters\/platforms\/([^/]+)\//.exec(path)?.[1] ?? [])),
];

it('a command loads its own work, and of the platforms the one that its source names', async () => {
  const directory = await makeTempDirectory('start-up');
  const file = join(directory.path, 'hall-3.yaml');
  const source = {
    name: 'hall-3',
    project: 'pump-hall',
    kind: 'user-credentials',
    platform: 'influxdb',
    connection: { url: 'http://127.0.0.1:1', username: 'bridge', password: 'p' },
    options: { database: 'plant' },
    schedule: { every: '1m' },
  };
  await writeFile(file, JSON.stringify(source));
  const environment = {
    DATABASE_URL: await databases.createMigrated(),
    DATABRIDGE_KEY: SEALING_KEY,
    DATABRIDGE_HOME: '/nowhere',
  };

  const create = modulesLoadedBy(['project', 'create', 'pump-hall'], environment);
  expect(create.stdout).toBe('project pump-hall created\n');
  expect(direct(create.packages)).toEqual(USUAL);
  expect(create.own.length).toBeLessThan(52);

  const apply = modulesLoadedBy(['source', 'apply', file], environment);
  expect(apply.stdout).toBe('source hall-3 created\n');
  expect(direct(apply.packages)).toEqual([...USUAL, 'csv-parse', 'jose', 'luxon', 'yaml'].toSorted());
  expect(platformsIn(apply.own)).toEqual(['influxdb']);
  expect(apply.own.length).toBeLessThan(175);

  const list = modulesLoadedBy(['source', 'list'], environment);
  expect(list.stdout).toContain('hall-3');
  expect(direct(list.packages)).toEqual([...USUAL, 'luxon'].toSorted());
  expect(platformsIn(list.own)).toEqual(['influxdb']);
  expect(list.own.length).toBeLessThan(125);

  const show = modulesLoadedBy(['source', 'show', 'hall-3'], environment);
  expect(show.stdout).toContain('password: (secret)');
  expect(direct(show.packages)).toEqual([...USUAL, 'luxon', 'yaml'].toSorted());
  expect(platformsIn(show.own)).toEqual(['influxdb']);
  expect(show.own.length).toBeLessThan(150);
  await directory.remove();
});
