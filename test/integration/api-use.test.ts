import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { listApplications, showApplication } from '../../src/access/applications.ts';
import { fromMillis } from '../../src/core/instant.ts';
import { pushUsesOf } from '../../src/ingest/pushed-use.ts';
import { openDatabase } from '../../src/database/database.ts';
import { useDatabases } from '../kit/databases.ts';
import { PATH, curl, pushAs, startApi } from './api-rig.ts';

const databases = useDatabases();

const DATE = '2026-11-20T08:15:30Z';

test('an application has the sums of its pushes, written at the latest when the API ends', async () => {
  const database = await databases.create();
  const api = await startApi(databases, {}, database.url);
  const { applicationId, secret } = api.client;
  const other = await api.application('other');
  const before = fromMillis(Date.now()) - 60_000_000;
  const first = JSON.stringify([{ sensorId: 'a', date: DATE, value: 1 }]);
  const second = JSON.stringify([
    { sensorId: 'a', date: DATE, value: 1 },
    { sensorId: 'a', date: DATE, value: 2 },
    { sensorId: 'b', date: DATE, value: 1 },
    { sensorId: 'b', date: 'never', value: 1 },
    { sensorId: 'b', date: 'never', value: 1 },
    { sensorId: 'b', date: DATE, value: '1.5' },
  ]);
  await api.push(first);
  await api.push(gzipSync(second), '-H', 'Content-Encoding: gzip');
  // None of these is a push that was taken.
  await api.push('{');
  await pushAs(api.client, `${api.url}${PATH}?dryRun=true`, [{ sensorId: 'c', date: DATE, value: 1 }]);
  await pushAs({ ...api.client, token: 'x' }, api.url + PATH, first);
  const token = await curl(
    '-u',
    `${applicationId}:${secret}`,
    '-d',
    'grant_type=client_credentials',
    `${api.url}/v0/oauth2/token`,
  );
  const { refresh_token: refresh } = token.json as { refresh_token: string };
  await curl(
    '-d',
    'grant_type=refresh_token',
    '--data-urlencode',
    `refresh_token=${refresh}`,
    `${api.url}/v0/oauth2/token`,
  );
  await api.close();

  const shown = await showApplication(database, applicationId);
  expect(shown).toMatchObject({
    pushes: 2,
    accepted: 2,
    duplicates: 0,
    revised: 1,
    bytes: first.length + second.length,
    refused24h: 4,
    refusedByReason24h: { 'bad-instant': 2, 'text-number': 1, 'same-instant': 1 },
  });
  expect(shown.lastPushAt).toBeGreaterThan(before);
  expect(shown.lastRenewalAt).toBeGreaterThan(before);
  expect(await showApplication(database, other.applicationId)).toMatchObject({
    pushes: 0,
    accepted: 0,
    lastPushAt: null,
    lastRenewalAt: null,
    refusedByReason24h: {},
  });
  expect(await listApplications(database)).toContainEqual(shown);
});

test('sums of several processes add up, and those that could not be written are written the next time', async () => {
  const api = await startApi(databases);
  const { applicationId } = api.client;
  const more = await openDatabase({ url: api.database.url, poolSize: 1, applicationName: 'other', patient: false });
  try {
    const [one, other] = [pushUsesOf(api.database), pushUsesOf(more)];
    const push = { applicationId, accepted: 1, duplicates: 2, revised: 3, bytes: 4, at: 2_000_000 };
    await api.database.run('alter table application_use rename to gone');
    one.note(push);
    await expect(one.flush()).rejects.toThrow();
    await api.database.run('alter table gone rename to application_use');
    one.note({ ...push, at: 1_000_000 });
    other.note(push);
    other.note({ ...push, applicationId: 'app_ffffffffffffffffffff' });
    await Promise.all([one.flush(), other.flush()]);
    await one.flush();
    expect(await showApplication(api.database, applicationId)).toMatchObject({
      pushes: 3,
      accepted: 3,
      duplicates: 6,
      revised: 9,
      bytes: 12,
      lastPushAt: 2_000_000,
    });
  } finally {
    await more.close();
    await api.close();
  }
});
