import { afterEach, describe, expect, it } from 'vitest';
import { SECOND } from '../../core/instant.ts';
import type { Authorisation } from '../contract.ts';
import { NOW, json, openRig, refusal, serve, tidyUp } from '../../../test/kit/connection-rig.ts';

afterEach(tidyUp);

const credentials = { username: 'plant', password: 'open sesame' };

describe('a request whose token expired while it waited for a slot', () => {
  it.each([
    ['is repeated with fresh tokens until one arrives in time', 3, undefined],
    ['is unavailable where no token arrives in time', Infinity, { code: 'unavailable', why: 'time-out' }],
  ])('%s', async (_what, slow, fault) => {
    const short = 10;
    let now = NOW;
    let issued = 0;
    let logins = 0;
    let waits = 0;
    const endOf = new Map<string, number>();
    const url = await serve((request, response) => {
      if (request.url !== '/login') {
        const end = endOf.get(request.headers.authorization?.replace('Bearer ', '') ?? '') ?? 0;
        json(response, {}, now < end ? 200 : 401);
        return;
      }
      logins += 1;
      issued += 1;
      endOf.set(`t${issued}`, now + short * SECOND);
      json(response, { token: `t${issued}` });
    });
    const authorisation: Authorisation = {
      sign: (_credentials, token) => ({ Authorization: `Bearer ${token}` }),
      obtain: async (http) => {
        const { token } = (await http.post<{ token: string }>('/login')).data;
        return { token, expiresAt: now + short * SECOND };
      },
    };
    const pacer = {
      async slot() {
        waits += 1;
        // Every second slot is that of a request for data. Logins get their slot at once.
        if (waits % 2 === 0 && waits / 2 <= slow) now += (short + 1) * SECOND;
        return { inDoubt: true, release: () => undefined };
      },
      hold: async () => undefined,
    };
    const rig = openRig(url, { credentials, authorisation }, { pacer, now: () => now });
    if (fault === undefined) expect((await rig.http.get('/data')).status).toBe(200);
    else expect((await refusal(rig.http.get('/data'))).fault).toEqual(fault);
    expect(logins).toBe(4);
  });
});
