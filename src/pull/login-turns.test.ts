import { expect, it } from 'vitest';
import { loginTurns } from './login-turns.ts';

const never = new AbortController().signal;
const patient = { patient: true, signal: never };

it('lets the logins of an account go one after the other, in the order in which they came', async () => {
  const turns = loginTurns();
  const begun: number[] = [];
  let underWay = 0;
  const logins = Array.from({ length: 300 }, async (_, number) => {
    const end = await turns.take('account', patient);
    underWay += 1;
    expect(underWay).toBe(1);
    begun.push(number);
    await Promise.resolve();
    underWay -= 1;
    end();
    end();
  });
  await Promise.all(logins);
  expect(begun).toEqual(Array.from({ length: 300 }, (_, number) => number));
});

it('keeps those of another account waiting for nothing, and a poll not behind a hundred', async () => {
  const turns = loginTurns();
  const first = await turns.take('account', patient);
  const waiting = Array.from({ length: 100 }, () => turns.take('account', patient));
  (await turns.take('other', patient))();
  await expect(turns.take('account', { ...patient, patient: false })).rejects.toThrow('log in before');
  first();
  for (const login of waiting) (await login)();
  (await turns.take('account', { ...patient, patient: false }))();
});

it('gives up where no login ends, or the run ends', async () => {
  const turns = loginTurns(10);
  const first = await turns.take('account', patient);
  const ending = new AbortController();
  const aborted = turns.take('account', { patient: true, signal: ending.signal });
  ending.abort();
  await expect(aborted).rejects.toThrow('log in before');
  await expect(turns.take('account', patient)).rejects.toThrow('log in before');
  first();
  (await turns.take('account', patient))();
});
