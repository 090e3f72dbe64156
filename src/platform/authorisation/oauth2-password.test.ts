import { afterEach, describe, expect, it } from 'vitest';
import { SECOND } from '../../core/instant.ts';
import { connect, serveApi, serveTokens, tokens } from '../../../test/kit/oauth-rig.ts';
import { NOW, json, tidyUp } from '../../../test/kit/connection-rig.ts';
import { oauth2Password } from './oauth2-client.ts';

afterEach(tidyUp);

const strategy = oauth2Password({ tokenPath: '/token' });

describe('user and password', () => {
  it.each([
    ['of the connection', { username: 'plant', password: 'open sesame' }],
    ['in the place of a client', { clientId: 'plant', clientSecret: 'open sesame' }],
  ])('%s go to the token endpoint, without a client', async (_what, credentials) => {
    const server = await serveTokens({ 'POST /token': tokens() });
    const api = await serveApi();
    await connect(strategy, { url: api.url, authUrl: server.url, ...credentials }).get('/');
    expect(server.asked).toEqual([
      {
        call: 'POST /token',
        authorization: undefined,
        form: { grant_type: 'password', username: 'plant', password: 'open sesame' },
      },
    ]);
  });

  it('are not sent again while the refresh token counts, and are where it is refused', async () => {
    const give = tokens({ expires_in: 100 });
    let refused = false;
    const server = await serveTokens({
      'POST /token': (response, asked) => {
        if (asked.form['grant_type'] === 'password')
          json(response, { access_token: 'first', refresh_token: 'r', expires_in: 100 });
        else if (refused) json(response, { message: 'gone' }, 400);
        else give(response, asked);
      },
    });
    const api = await serveApi();
    let now = NOW;
    const credentials = { url: api.url, authUrl: server.url, username: 'plant', password: 'open sesame' };
    const http = connect(strategy, credentials, { parts: { now: () => now } });
    const later = async (): Promise<unknown> => {
      now += 100 * SECOND;
      return (await http.get('/')).data;
    };
    expect([await later(), await later(), await later()]).toEqual(['Bearer first', 'Bearer t1', 'Bearer t2']);
    refused = true;
    expect(await later()).toBe('Bearer first');
    expect(server.asked.map(({ form }) => form['grant_type'])).toEqual([
      'password',
      'refresh_token',
      'refresh_token',
      'refresh_token',
      'password',
    ]);
    expect(server.asked[2]?.form).toEqual({ grant_type: 'refresh_token', refresh_token: 'r' });
  });
});
