import { afterEach, expect, it } from 'vitest';
import { json, openRig, serve, tidyUp } from '../../test/kit/connection-rig.ts';
import { credentialsRejected } from '../core/errors.ts';
import { SECOND } from '../core/instant.ts';
import { memoryAccount, memoryTokens } from '../platform/connection/index.ts';
import type { Pacer } from '../platform/connection/index.ts';
import type { Authorisation } from '../platform/contract.ts';
import { loginTurns } from './login-turns.ts';

afterEach(tidyUp);

const never = new AbortController().signal;
const now = (): number => 0;

it('lets the logins of an account go one after the other, in the order in which they came', async () => {
  const turns = loginTurns(now);
  const begun: number[] = [];
  let underWay = 0;
  const logins = Array.from({ length: 100 }, async (_, number) => {
    const end = await turns.take('account', never);
    underWay += 1;
    expect(underWay).toBe(1);
    begun.push(number);
    await Promise.resolve();
    underWay -= 1;
    end();
    end();
  });
  await Promise.all(logins);
  expect(begun).toEqual(Array.from({ length: 100 }, (_, number) => number));
});

it('keeps those of another account waiting for nothing, and none behind more than a hundred', async () => {
  const turns = loginTurns(now);
  const first = await turns.take('account', never);
  const waiting = Array.from({ length: 100 }, () => turns.take('account', never));
  (await turns.take('other', never))();
  await expect(turns.take('account', never)).rejects.toThrow('log in before');
  first();
  for (const login of waiting) (await login)();
  (await turns.take('account', never))();
});

it('gives up where no login ends, or the run ends', async () => {
  const turns = loginTurns(now, 10);
  const first = await turns.take('account', never);
  const ending = new AbortController();
  const aborted = turns.take('account', ending.signal);
  ending.abort();
  await expect(aborted).rejects.toMatchObject({ fault: { code: 'cancelled' } });
  await expect(turns.take('account', never)).rejects.toThrow('log in before');
  first();
  (await turns.take('account', never))();
});

it('lets no source of an account ask for its login in vain, or take a slot before its turn', async () => {
  const account = memoryAccount();
  const turns = loginTurns(now);
  const admitted: string[] = [];
  let slots = 0;
  const store = {
    ...account,
    turn: (signal: AbortSignal) => turns.take('account', signal),
    async admit(...asked: Parameters<typeof account.admit>) {
      const admission = await account.admit(...asked);
      admitted.push(admission);
      return admission;
    },
  };
  const url = await serve((_request, response) => json(response, {}));
  const authorisation: Authorisation = {
    sign: () => ({}),
    async obtain(http) {
      await http.post('/login', {});
      return { token: 'token', expiresAt: undefined };
    },
  };
  const pacer: Pacer = {
    async slot(_lane, _signal, about) {
      if (about?.login) slots += 1;
      return { inDoubt: false, release: () => undefined };
    },
    hold: () => Promise.resolve(),
  };
  const sources = Array.from({ length: 20 }, () => openRig(url, { authorisation }, { account: store, pacer }).http);
  await Promise.all(sources.map((http) => http.get('/')));
  expect(admitted).toEqual(Array<string>(20).fill('probe'));
  expect(slots).toBe(20);
});

it('after one refused renewal the sources of an account log in at once, and a minute later they renew again', async () => {
  let at = 0;
  const turns = loginTurns(() => at);
  const sent = { renewals: 0, logins: 0 };
  let renews = false;
  const authorisation: Authorisation = {
    sign: () => ({}),
    async renew() {
      sent.renewals += 1;
      if (!renews) throw credentialsRejected('the token is not known', '');
      return { token: `token ${sent.renewals}`, expiresAt: undefined };
    },
    async obtain() {
      return { token: `token ${(sent.logins += 1)}`, expiresAt: undefined };
    },
  };
  const url = await serve((_request, response) => json(response, {}));
  const ask = async (account: string): Promise<void> => {
    const tokens = memoryTokens();
    await tokens.replace(undefined, async () => ({ token: 'old', expiresAt: 0, renewal: 'old' }));
    const store = { ...memoryAccount(), renewals: turns.renewalsOf(account) };
    await openRig(url, { authorisation }, { account: store, tokens }).http.get('/');
  };
  for (let source = 0; source < 5; source += 1) await ask('one');
  expect(sent).toEqual({ renewals: 1, logins: 5 });
  await ask('other');
  expect(sent).toEqual({ renewals: 2, logins: 6 });
  at = 61 * SECOND;
  renews = true;
  await ask('one');
  expect(sent).toEqual({ renewals: 3, logins: 6 });
});
