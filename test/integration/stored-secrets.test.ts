import { randomUUID } from 'node:crypto';
import { beforeEach, expect, it } from 'vitest';
import { openSealing } from '../kit/sealing.ts';
import type { Sealing } from '../../src/access/sealing.ts';
import { clockOf } from '../../src/database/clock.ts';
import type { Database } from '../../src/database/database.ts';
import type { Registry } from '../../src/platform/registry.ts';
import { unseal } from '../../src/access/sealed-config.ts';
import { sourceOpener } from '../../src/pull/open/open-source.ts';
import type { SourceRow } from '../../src/pull/open/open-source.ts';
import { sourceTokensOf } from '../../src/pull/open/tokens.ts';
import { kinds } from '../../adapters/kinds.ts';
import { useDatabases } from '../kit/databases.ts';
import { byPath, good, makeGround, platforms } from './registration-ground.ts';
import type { Ground } from './registration-ground.ts';

const databases = useDatabases();
let ground: Ground;
let database: Database;
let sealing: Sealing;

beforeEach(async () => {
  ground = await makeGround(databases);
  ({ database, sealing } = ground);
});

const apply: Ground['apply'] = (change, given) => ground.apply(change, given);

it('no secret is in the database in clear after any change of a source', async () => {
  const changes: Readonly<Record<string, unknown>>[] = [
    {},
    { connection: { ...good.connection, password: 's3cret-second' } },
    {
      kind: 'client-credentials',
      connection: { url: 'https://plant.example', clientId: 'c', clientSecret: 's3cret-client' },
    },
    { options: { database: 'plant', keys: ['s3cret-new', 's3cret-key', '${env:KEY}'] } },
    { platform: 'other', options: {} },
    { connection: { ...good.connection, password: '${env:PASSWORD}' } },
    {},
  ];
  for (const change of changes) {
    const applied = await apply(change);
    expect(applied.action).toBe(change === changes[0] ? 'created' : 'changed');
    expect(JSON.stringify(applied)).not.toContain('s3cret');
  }
  const source = await database.row<{ id: number; config: unknown }>('select id, config from source');
  await sourceTokensOf(database, sealing, source?.id ?? 0).replace(undefined, async () => ({
    token: 's3cret-token',
    expiresAt: undefined,
    renewal: 's3cret-renewal',
  }));
  const all = await ground.everything();
  expect(all).toContain('bridge');
  expect(all).not.toContain('s3cret');
  expect(await unseal(source?.config, sealing)).toEqual(good);
});

it('a configuration that the claim left out is read from the database, unless it has changed since', async () => {
  await apply({ options: { database: 'plant', keys: ['s3cret-key'] } });
  const row = await database.row<SourceRow & Record<string, unknown>>(
    `select id, name, revision, edition, project_id as "projectId", instant_of(start_at) as start, null as config from source`,
  );
  if (row === undefined) throw new Error('there is no source');
  const clock = await clockOf(database);
  const registry = { platforms, kinds } as unknown as Registry;
  const open = sourceOpener({
    database,
    sealing,
    clock,
    registry,
    workerId: randomUUID(),
    allowHosts: undefined,
  });
  const source = (await open(row)).open();
  expect(source.options).toMatchObject({ keys: ['s3cret-key'] });
  await source.connection.close();
  await apply({ schedule: { every: '20s' } });
  await expect(open(row)).rejects.toMatchObject({ code: 'cancelled' });
});

it('a reference to a secret is stored as it is', async () => {
  await apply({ connection: { ...good.connection, password: '${file:/run/secrets/x}' } });
  const row = await database.row<{ password: string }>(
    `select config #>> '{connection,password}' as password from source`,
  );
  expect(row?.password).toBe('${file:/run/secrets/x}');
});

it('secrets sealed with a lost key can be replaced by applying the source again', async () => {
  await apply();
  const other = await openSealing('/nowhere', 'B'.repeat(43));
  const told = await apply({}, { sealing: other });
  expect(byPath(told)).toMatchObject({
    name: 'hall-3',
    action: 'changed',
    differences: [
      { path: 'connection.password', before: '(secret)', after: '(secret changed)' },
      { path: 'options.keys', before: '(secret)', after: '(secret changed)' },
    ],
  });
  const row = await database.row<{ config: unknown }>('select config from source');
  expect(await unseal(row?.config, other)).toEqual(good);
  expect(await apply({}, { sealing: other })).toMatchObject({ action: 'unchanged' });
});

it('a changed secret ends the old token, also in a process that knows it', async () => {
  await apply();
  const source = await database.row<{ id: number }>('select id from source');
  const grant = (token: string) => ({ token, expiresAt: undefined });
  const [one, other] = [1, 2].map(() => sourceTokensOf(database, sealing, source?.id ?? 0));
  await one?.replace(undefined, async () => grant('old'));
  await apply({ connection: { ...good.connection, password: 's3cret-second' } });
  expect(await other?.current()).toBeUndefined();
  await other?.replace(undefined, async () => grant('new'));
  const got = await one?.replace(grant('old'), () => expect.fail('was there already'));
  expect(got).toEqual(grant('new'));
});
