import { beforeEach, describe, expect, test, vi, onTestFinished } from 'vitest';
import * as audits from '../../src/access/audit.ts';
import {
  authenticateApplication,
  createApplication,
  listApplications,
  revokeApplication,
  rotateSecret,
} from '../../src/access/applications.ts';
import { createOrganisation, listOrganisations } from '../../src/access/organisations.ts';
import { createProject, listProjects } from '../../src/access/projects.ts';
import type * as Secrets from '../../src/access/secret.ts';
import type { Database } from '../../src/database/database.ts';
import { useDatabases } from '../kit/databases.ts';
import { NASTY } from './access-rig.ts';

// Organisations, projects and applications on a real database.

const work = vi.hoisted(() => ({ hashes: 0, comparisons: 0 }));

vi.mock('../../src/access/secret.ts', async (original) => {
  const real = await original<typeof Secrets>();
  return {
    ...real,
    fingerprint: (secret: string) => {
      work.hashes += 1;
      return real.fingerprint(secret);
    },
    matches: (one: Buffer, other: Buffer) => {
      work.comparisons += 1;
      return real.matches(one, other);
    },
  };
});

const databases = useDatabases();
let database: Database;

beforeEach(async () => {
  database = await databases.create();
});

const actions = async (): Promise<string[]> =>
  (await audits.listAudit(database, { limit: 100 })).map(
    ({ actor, action, subject }) => `${actor} ${action} ${subject}`,
  );

const UNKNOWN = 'app_00000000000000000000';

const configInvalid = { code: 'config-invalid' };

describe('organisations and projects', () => {
  test('are made once, listed and audited', async () => {
    expect(await createOrganisation(database, { id: 'north', name: 'North works' }, 'anna')).toBe(true);
    expect(await createOrganisation(database, { id: 'north', name: 'Other' }, 'bert')).toBe(false);
    expect(await createProject(database, { organisation: 'north', code: 'pump-hall' }, 'anna')).toBe(true);
    expect(await createProject(database, { organisation: 'north', code: 'pump-hall', name: 'x' }, 'bert')).toBe(false);
    expect(await createProject(database, { organisation: 'default', code: 'pump-hall' }, 'anna')).toBe(true);
    await createApplication(database, { organisation: 'north', name: 'gateway' }, 'anna');
    expect(await listOrganisations(database)).toMatchObject([
      { id: 'default', projects: 1, applications: 0 },
      { id: 'north', name: 'North works', projects: 1, applications: 1 },
    ]);
    expect(await listProjects(database)).toEqual([
      { organisation: 'default', code: 'pump-hall', name: 'pump-hall', sources: 0, series: 0 },
      { organisation: 'north', code: 'pump-hall', name: 'pump-hall', sources: 0, series: 0 },
    ]);
    expect((await actions()).toReversed().slice(0, 3)).toEqual([
      'anna organisation.created north',
      'anna project.created pump-hall',
      'anna project.created pump-hall',
    ]);
  });

  test('a project needs an organisation that exists', async () => {
    await expect(createProject(database, { organisation: 'south', code: 'a' }, 'anna')).rejects.toMatchObject({
      ...configInvalid,
      message: 'there is no organisation "south"',
    });
  });
});

describe('an application', () => {
  test('is authenticated with its secret, and stored, listed and audited without it', async () => {
    await createProject(database, { organisation: 'default', code: 'b' }, 'anna');
    await createProject(database, { organisation: 'default', code: 'a' }, 'anna');
    const given = { organisation: 'default', name: 'gateway', projects: ['b', 'a', 'b'] };
    const { applicationId, secret } = await createApplication(database, given, 'anna');
    expect(secret).toMatch(/^[\w-]{43}$/);
    expect(await authenticateApplication(database, applicationId, secret)).toEqual({
      applicationId,
      organisationId: 'default',
      projects: ['a', 'b'],
      generation: 0,
      secretHash: expect.any(Buffer) as Buffer,
    });
    expect(await listApplications(database)).toMatchObject([
      {
        applicationId,
        name: 'gateway',
        projects: ['a', 'b'],
        previousSecretUntil: null,
        lastTokenAt: null,
        revokedAt: null,
      },
    ]);
    expect((await actions())[0]).toBe(`anna application.created ${applicationId}`);
    const stored = await database.row<{ hash: Buffer }>('select secret_hash as hash from application');
    expect(stored?.hash).toHaveLength(32);
  });

  test('has a unique name until it is revoked', async () => {
    const given = { organisation: 'default', name: 'gateway' };
    const made = await Promise.allSettled([1, 2, 3].map(() => createApplication(database, given, 'anna')));
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await expect(createApplication(database, given, 'anna')).rejects.toMatchObject({
      ...configInvalid,
      message: 'organisation default has an application "gateway"',
    });
    const [first] = await listApplications(database);
    await revokeApplication(database, first?.applicationId ?? '', 'anna');
    await createApplication(database, given, 'anna');
    expect(await listApplications(database)).toHaveLength(2);
  });

  test.each([
    ['a project that does not exist', ['a', 'nothing'], 'organisation default has no project "nothing"'],
    ['no project at all', [], 'an application is limited to 1 to 32 projects, not 0'],
    ['33 projects', Array.from({ length: 33 }, (_, index) => `p${index}`), /not 33$/],
  ])('is not limited to %s', async (_, projects, message) => {
    await createProject(database, { organisation: 'default', code: 'a' }, 'anna');
    const made = createApplication(database, { organisation: 'default', name: 'x', projects }, 'anna');
    await expect(made).rejects.toThrow(message);
    expect(await listApplications(database)).toEqual([]);
  });

  test('is refused with the same work, whatever is wrong', async () => {
    const [living, rotated, ended] = await Promise.all(
      ['living', 'rotated', 'ended'].map((name) =>
        createApplication(database, { organisation: 'default', name }, 'anna'),
      ),
    );
    if (!living || !rotated || !ended) throw new Error('three applications were made');
    await rotateSecret(database, rotated.applicationId, { overlapHours: 1 }, 'anna');
    await revokeApplication(database, ended.applicationId, 'anna');
    const queries = vi.spyOn(database.pool, 'query');
    onTestFinished(() => queries.mockRestore());
    const refusalWork = async (id: string, secret: string): Promise<unknown> => {
      Object.assign(work, { hashes: 0, comparisons: 0 });
      queries.mockClear();
      const answer = await authenticateApplication(database, id, secret);
      const statements = queries.mock.calls.map(([statement]) => (statement as unknown as { text: string }).text);
      return { answer, ...work, statements };
    };
    const unknown = await refusalWork(UNKNOWN, living.secret);
    expect(unknown).toEqual({ answer: undefined, hashes: 1, comparisons: 2, statements: [expect.any(String)] });
    for (const [id, secret] of [
      ['no id at all\0', living.secret],
      [living.applicationId, 'wrong'],
      [living.applicationId, rotated.secret],
      [rotated.applicationId, living.secret],
      [ended.applicationId, ended.secret],
      ['', ''],
    ] as const) {
      expect(await refusalWork(id, secret)).toEqual(unknown);
    }
    expect(await refusalWork(living.applicationId, living.secret)).toMatchObject({ hashes: 1, comparisons: 2 });
  });
});

describe('a new secret', () => {
  test('is valid beside the previous secret during the overlap, and no older secret is', async () => {
    const { applicationId: id, secret: first } = await createApplication(
      database,
      { organisation: 'default', name: 'gateway' },
      'anna',
    );
    const valid = async (...secrets: string[]): Promise<boolean[]> =>
      await Promise.all(secrets.map(async (one) => (await authenticateApplication(database, id, one)) !== undefined));
    const { secret: second, previousUntil } = await rotateSecret(database, id, { overlapHours: 1 }, 'anna');
    expect(await valid(first, second)).toEqual([true, true]);
    expect((await listApplications(database))[0]?.previousSecretUntil).toBe(previousUntil);
    const { secret: third } = await rotateSecret(database, id, { overlapHours: 1 }, 'anna');
    expect(await valid(first, second, third)).toEqual([false, true, true]);
    await database.run(`update application set previous_secret_until = now() - interval '1 microsecond'`);
    expect(await valid(second, third)).toEqual([false, true]);
    const { secret: fourth } = await rotateSecret(database, id, { overlapHours: 0 }, 'anna');
    expect(await valid(third, fourth)).toEqual([false, true]);
    expect((await listApplications(database))[0]?.previousSecretUntil).toBeNull();
    expect((await actions()).filter((line) => line === `anna application.secret-rotated ${id}`)).toHaveLength(3);
  });

  test('asked for twice at the same time leaves two secrets that work', async () => {
    const { applicationId: id } = await createApplication(
      database,
      { organisation: 'default', name: 'gateway' },
      'anna',
    );
    const rotate = () => rotateSecret(database, id, { overlapHours: 1 }, 'anna');
    for (const { secret } of await Promise.all([rotate(), rotate()])) {
      expect(await authenticateApplication(database, id, secret)).toMatchObject({ applicationId: id });
    }
  });

  test('is refused for an unknown or revoked application and for an impossible overlap', async () => {
    const { applicationId: id } = await createApplication(
      database,
      { organisation: 'default', name: 'gateway' },
      'anna',
    );
    for (const overlapHours of [-1, 721, Number.NaN, Number.POSITIVE_INFINITY]) {
      await expect(rotateSecret(database, id, { overlapHours }, 'anna')).rejects.toMatchObject(configInvalid);
    }
    await expect(rotateSecret(database, UNKNOWN, { overlapHours: 1 }, 'anna')).rejects.toMatchObject(configInvalid);
    await revokeApplication(database, id, 'anna');
    await expect(rotateSecret(database, id, { overlapHours: 1 }, 'anna')).rejects.toMatchObject(configInvalid);
    await expect(revokeApplication(database, UNKNOWN, 'anna')).rejects.toMatchObject(configInvalid);
  });
});

test('NUL, SQL and nonsense in any field change nothing', async () => {
  const { applicationId } = await createApplication(database, { organisation: 'default', name: 'gateway' }, 'anna');
  const rows = async (): Promise<unknown> => await database.rows('select * from application order by id');
  const before = await rows();
  for (const text of NASTY) {
    await expect(createOrganisation(database, { id: text, name: 'x' }, text)).rejects.toMatchObject(configInvalid);
    await expect(createProject(database, { organisation: 'default', code: text }, text)).rejects.toMatchObject(
      configInvalid,
    );
    await expect(createProject(database, { organisation: text, code: 'x' }, text)).rejects.toMatchObject(configInvalid);
    const elsewhere = { organisation: text, name: 'x', projects: [text] };
    await expect(createApplication(database, elsewhere, text)).rejects.toMatchObject(configInvalid);
    const limited = { organisation: 'default', name: 'x', projects: [text] };
    await expect(createApplication(database, limited, text)).rejects.toMatchObject(configInvalid);
    await expect(rotateSecret(database, text, { overlapHours: 1 }, text)).rejects.toMatchObject(configInvalid);
    await expect(revokeApplication(database, text, text)).rejects.toMatchObject(configInvalid);
    expect(await authenticateApplication(database, text, text)).toBeUndefined();
    expect(await authenticateApplication(database, applicationId, text)).toBeUndefined();
  }
  expect(await rows()).toEqual(before);
  // SQL in a valid name is stored unchanged.
  const name = "Robert'); drop table application; --";
  expect(await createOrganisation(database, { id: 'robert', name }, `${name}\0`)).toBe(true);
  expect((await listOrganisations(database)).at(-1)).toMatchObject({ id: 'robert', name });
  expect((await actions())[0]).toBe(`${name}␀ organisation.created robert`);
});
