import { expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { useDatabases } from '../kit/databases.ts';
import { modulesLoadedBy } from '../kit/loaded-modules.ts';
import { SEALING_KEY } from './access-rig.ts';

// Loading modules is most of what a command costs. Each bound is a few files above the present number.

const databases = useDatabases();

const environment = (DATABASE_URL: string): NodeJS.ProcessEnv => ({
  DATABASE_URL,
  DATABRIDGE_KEY: SEALING_KEY,
  DATABRIDGE_HOME: '/nowhere',
});

/** What a command loads that neither polls nor opens a secret, besides pg and pino with their parts. */
const USUAL = ['commander', 'ipaddr.js', 'pg', 'pino', 'zod'];

/** The packages that this one depends on. */
const direct = (packages: readonly string[]): readonly string[] =>
  packages.filter((name) => name in manifest.dependencies);

it('project create loads neither platforms nor the poll path, nor libraries that it has no use for', async () => {
  const { own, packages, stdout } = modulesLoadedBy(
    ['project', 'create', 'pump-hall'],
    environment(await databases.createMigrated()),
  );
  expect(stdout).toBe('project pump-hall created\n');
  expect(direct(packages)).toEqual(USUAL);
  expect(own.length).toBeLessThan(30);
});
