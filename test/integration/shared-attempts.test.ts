import { expect, it } from 'vitest';
import { attemptsOf } from '../../src/api/attempts.ts';
import { sharedAttemptsOf } from '../../src/api/shared-attempts.ts';
import { tidyAccess } from '../../src/access/tidy.ts';
import { useDatabases } from '../kit/databases.ts';
import { eventually } from './daemon-rig.ts';
import { startOperatorApi } from './operator-rig.ts';

// Several processes serve one bridge, and a client may try no more often because of that.

const databases = useDatabases();

it('attempts in one process count in the others, by key and by what is counted', async () => {
  const database = await databases.create();
  const process = (name: string) =>
    attemptsOf(10, { periodMs: 3_600_000, shared: { by: sharedAttemptsOf(database, 20), name } });
  const [one, other, third, stranger] = ['a', 'a', 'a', 'b'].map(process);
  for (let times = 0; times < 4; times += 1) {
    expect(one?.take('x', 'y')).toBe(0);
    expect(other?.take('x')).toBe(0);
  }
  await eventually('both are told', async () => {
    const [row] = await database.rows<{ left: number }>(
      'select max(extract(epoch from full_at - now()))::float8 as left from attempt',
    );
    return (row?.left ?? 0) > 7.5 * 360;
  });
  // Each learns of the others when it counts the key itself.
  expect(third?.take('x')).toBe(0);
  await eventually('the third knows of nine', () => third?.left('x').left === 1);
  expect(third?.take('x')).toBe(0);
  expect(third?.take('x')).toBeGreaterThan(0);
  expect(third?.wait('y')).toBe(0);
  expect(stranger?.take('x')).toBe(0);
  await eventually('all of them are told', async () => (await database.rows('select from attempt')).length === 3);
  expect(stranger?.wait('x')).toBe(0);
  await tidyAccess(database);
  expect(await database.rows('select from attempt')).toHaveLength(3);
  await database.run(`update attempt set full_at = now() - interval '1 second'`);
  await tidyAccess(database);
  expect(await database.rows('select from attempt')).toEqual([]);
});

it('a database that is away stops no attempt and no count', async () => {
  let asked = 0;
  const rows = (): Promise<never> => {
    asked += 1;
    return Promise.reject(new Error('away'));
  };
  const attempts = attemptsOf(2, { shared: { by: sharedAttemptsOf({ rows }, 10), name: 'a' } });
  expect(attempts.take('x')).toBe(0);
  await eventually('it was told', () => asked > 0);
  expect(attempts.take('x')).toBe(0);
  expect(attempts.take('x')).toBeGreaterThan(0);
});

it('passwords that one API refused are tried no more at another one', async () => {
  const database = await databases.create();
  const [first, second] = await Promise.all([startOperatorApi(database), startOperatorApi(database)]);
  try {
    const signIn = (api: typeof first) =>
      api.send('POST', '/api/v1/session', { body: { name: 'anna', password: 'not the password' } });
    expect((await signIn(first)).status).toBe(403);
    // Of the name at the address, and of the address.
    await eventually('it is counted', async () => (await database.rows('select from attempt')).length === 2);
    // As if it had been tried twenty times there; a check of a password takes long on purpose.
    await database.run(`update attempt set full_at = now() + interval '15 minutes'`);
    await eventually('the other one refuses it unseen', async () => (await signIn(second)).status === 429);
  } finally {
    await Promise.all([first.close(), second.close()]);
  }
});
