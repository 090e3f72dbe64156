import { afterEach, describe, expect, it } from 'vitest';
import { inspect } from 'node:util';
import { BridgeError, contractBroken } from '../../core/errors.ts';
import type { Authorisation } from '../contract.ts';
import { redactorFor } from './redaction.ts';
import {
  basic,
  json,
  openRig,
  refusal,
  resolvesTo,
  serve,
  serveBytes,
  tidyUp,
} from '../../../test/kit/connection-rig.ts';

afterEach(tidyUp);

const password = 'p"ss wörd&<1>/x';
const token = 'tok-8b1f0c7d2e';
const renewal = 'ren-55aa77cc99';
const credentials = { username: 'plantuser', password };

const written = [
  password,
  encodeURIComponent(password),
  new URLSearchParams({ '': password }).toString().slice(1),
  JSON.stringify(password).slice(1, -1),
  Buffer.from(password).toString('base64'),
  Buffer.from(`plantuser:${password}`).toString('base64'),
  token,
  renewal,
];

function expectNoSecret(error: unknown): void {
  expect(error).toBeInstanceOf(BridgeError);
  const text = `${inspect(error, { depth: Infinity, showHidden: true })}\n${JSON.stringify(error)}\n${(error as Error).stack}`;
  for (const secret of written) expect(text).not.toContain(secret);
  expect(text).not.toMatch(/AxiosError|_header|Authorization['"]?:/);
}

const withToken: Authorisation = {
  sign: (_credentials, given) => ({ Authorization: `Bearer ${given}`, 'X-Key': String(given) }),
  obtain: async () => ({ token, expiresAt: undefined, renewal }),
};

describe('an error holds no secret', () => {
  const known = written.slice(0, -2).join(' | ');
  const echo = written.join(' | ');

  it.each([
    ['of a refused request', 400, (text: string) => text],
    ['of a refused login', 401, (text: string) => JSON.stringify({ message: text })],
    ['of a missing right', 403, (text: string) => text],
    ['of a web page instead of JSON', 200, (text: string) => `<html>${text}</html>`],
    ['of broken JSON', 200, (text: string) => `{${text}`],
    ['of a failing server', 500, (text: string) => text],
  ])('%s', async (_what, status, page) => {
    const url = await serve((request, response) => {
      const signed = request.headers.authorization ?? '';
      response.writeHead(status).end(page(`${signed} ${signed.startsWith('Basic') ? known : echo}`));
    });
    for (const authorisation of [basic, withToken]) {
      const rig = openRig(url, { credentials, authorisation });
      const ask = rig.http.get(`/user/${encodeURIComponent(password)}`, {
        params: { p: password },
        headers: { 'X-Other': encodeURIComponent(password) },
      });
      const error = await refusal(ask);
      expectNoSecret(error);
      expect(`${error.message}${JSON.stringify(error.fault)}`).toContain('[redacted]');
    }
  });

  it.each([
    ['refused', 'http://127.0.0.1:1', {}],
    ['blocked', 'http://169.254.169.254', {}],
    [
      'unknown',
      'http://plant.test',
      {
        lookup: (_n: string, _o: unknown, done: (e: Error) => void) =>
          done(Object.assign(new Error(known), { code: 'ENOTFOUND' })),
      },
    ],
    [
      'odd',
      'http://plant.test',
      {
        lookup: (_n: string, _o: unknown, done: (e: Error) => void) =>
          done(Object.assign(new Error(known), { password })),
      },
    ],
  ])('when the connection is %s', async (_what, url, parts) => {
    const rig = openRig(url, { credentials, authorisation: basic }, parts as Parameters<typeof openRig>[2]);
    expectNoSecret(await refusal(rig.http.post(`/${encodeURIComponent(password)}`, { password })));
  });

  it('when an answer breaks off', async () => {
    const url = await serveBytes(
      `HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n${Buffer.from(password).toString('base64')}`,
    );
    expectNoSecret(await refusal(openRig(url, { credentials, authorisation: basic }).http.get('/')));
  });

  it('when a login throws an error of its own', async () => {
    const url = await serve((_request, response) => json(response, { access_token: token, note: password }));
    const wrong: Authorisation['obtain'][] = [
      async () => {
        throw new TypeError(`no ${password}`, { cause: Object.assign(new Error(known), { config: { password } }) });
      },
      async () => {
        throw contractBroken(
          `answered ${password}`,
          `{"access_token":"${token}","refresh_token":"${renewal}","x":"${password}"}`,
        );
      },
      async (http) => (await http.post<never>('/', { password }, { responseType: 'document' })).data,
    ];
    for (const obtain of wrong) {
      if (obtain)
        expectNoSecret(
          await refusal(openRig(url, { credentials, authorisation: { ...withToken, obtain } }).http.get('/')),
        );
    }
  });

  it('when an adapter has a bug', async () => {
    const rig = openRig(await serve((_request, response) => json(response, 1)), {
      credentials,
      authorisation: withToken,
    });
    await rig.http.get('/');
    const transformRequest = (): never => {
      throw Object.assign(new Error(`bad ${token}`), { config: { headers: { Authorization: token } } });
    };
    const error = await refusal(rig.http.post('/', {}, { transformRequest }));
    expect(error.code).toBe('bug');
    expectNoSecret(error);
  });

  it('when a request goes to an address that is not allowed', async () => {
    const rig = openRig(
      'http://plant.test',
      { credentials, authorisation: basic },
      { lookup: resolvesTo('127.0.0.1') },
    );
    expectNoSecret(await refusal(rig.http.get(`http://elsewhere.test/${encodeURIComponent(password)}`)));
    expectNoSecret(await refusal(rig.http.get(`ftp://plantuser:${encodeURIComponent(password)}@elsewhere.test/`)));
  });
});

it('an answer does not show the signature to the adapter', async () => {
  const url = await serve((_request, response) => json(response, 1));
  const answer = await openRig(url, { credentials, authorisation: withToken }).http.get('/');
  expect(inspect(answer, { depth: 6, showHidden: true })).not.toContain(token);
});

describe('redact', () => {
  const { redact } = redactorFor({ username: 'plantuser', password: 'hunter22', pin: '7' });

  it.each([
    ['Authorization: Basic cGxhbnR1c2VyOng=', 'Authorization: [redacted]'],
    ['got Bearer abcdefghijk12', 'got Bearer [redacted]'],
    ['{"access_token":"abc","expires_in":5}', '{"access_token":[redacted],"expires_in":5}'],
    ["{'client_secret': 'abc'}", "{'client_secret': [redacted]}"],
    ['/query?db=x&u=a&p=abc&q=1', '/query?db=x&u=a&p=[redacted]&q=1'],
    ['grant_type=password&refresh_token=abc&x=1', 'grant_type=password&refresh_token=[redacted]&x=1'],
    ['http://me:abc@host/', 'http://[redacted]@host/'],
    ['jwt eyJhbGciOiJI.eyJzdWIiOiIx.sig-nature ends', 'jwt [redacted] ends'],
    ['Set-Cookie: sid=abc; Path=/', 'Set-Cookie: [redacted]'],
    ['HUNTER22 and hunter22', '[redacted] and [redacted]'],
    ['pin 7, but not 77 or x7', 'pin [redacted], but not 77 or x7'],
  ])('%s', (text, clean) => expect(redact(text)).toBe(clean));

  it.each([
    'Basic authentication required',
    'Token expired',
    'user plantuser may not read',
    'token: expired',
    'mail ops@plant.test',
  ])('leaves %j as it is', (text) => expect(redact(text)).toBe(text));

  it('leaves no part of a secret where a text is cut', () => {
    const redactor = redactorFor({ password: 'hunter22' });
    expect(redactor.excerpt('say hunter22 twice', 8)).toBe('say …');
    expect(redactor.excerpt('say hunter22 twice', 12)).toBe('say [redacted]…');
    expect(redactor.excerpt('short', 12)).toBe('short');
  });

  it('takes out secrets that it learned later', () => {
    const redactor = redactorFor({});
    expect(redactor.redact('a fresh-value')).toBe('a fresh-value');
    redactor.learn('fresh-value');
    expect(redactor.redact('a fresh-value')).toBe('a [redacted]');
  });
});

it('a page that an adapter gives with its error is kept without secrets, and no longer than 4,000 characters', () => {
  const rig = openRig('http://127.0.0.1', { authorisation: basic, credentials });
  const page = ['x'.repeat(3_990), password, password.slice(0, 5), 'y'.repeat(1_000_000)].join(' ');
  const { fault } = rig.connection.cleanError(contractBroken('points: not a point', page));
  const kept = (fault as { page?: string }).page ?? '';
  expect(kept).toHaveLength(4_000);
  expect(kept).not.toContain(password.slice(0, 3));
});

it.each([
  ['a name of secret words', 'token-'.repeat(16_000)],
  ['a name in quotes', `"${'password'.repeat(12_000)}`],
  ['beginnings of tokens', 'eyJ-'.repeat(25_000)],
  ['parts between dots', 'a.'.repeat(50_000)],
])('a page of %s takes no time that grows with its square', (_, text) => {
  // The time of the processor, which other processes do not change. The former patterns took hours for the first text.
  const begun = process.threadCpuUsage();
  redactorFor({ password: 'open sesame' }).redact(text);
  const { user, system } = process.threadCpuUsage(begun);
  expect(user + system).toBeLessThan(2_000_000);
});

it('every token of a run of tokens is taken out, and a credential behind one', () => {
  const { redact } = redactorFor({ password: 'open sesame' });
  expect(redact('eyJaaaaaaaaaa.bbbb.cccc.eyJdddddddddd.SECRETPAYLOAD.sig')).not.toMatch(/bbbb|SECRETPAYLOAD/);
  expect(redact('eyJabcdefghij.Bearer SECRETX1')).not.toContain('SECRETX1');
});
