import { afterEach, describe, expect, it } from 'vitest';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { makeCertificate, openRig, refusal, serveTls, tidyUp } from '../../../test/kit/connection-rig.ts';
import type { Authorisation } from '../contract.ts';

afterEach(tidyUp);

const ask = (rig: ReturnType<typeof openRig>) => refusal(rig.http.get('/data'));

describe('the certificate of a platform', () => {
  const good = makeCertificate('IP:127.0.0.1');
  const expired = makeCertificate('IP:127.0.0.1', true);
  const other = makeCertificate('DNS:historian.plant');

  it('refuses a self-signed certificate, and accepts it once it is trusted', async () => {
    const url = await serveTls(good, (_request, response) => response.end('{"up":true}'));
    const error = await ask(openRig(url));
    expect(error.fault).toEqual({ code: 'unavailable', why: 'tls' });
    expect(error.message).toBe(`connecting to ${url}: its certificate is self-signed`);
    expect(error.remedy).toMatch(/this very certificate in tls\.ca/);
    expect((await openRig(url, { tls: { ca: good.cert } }).http.get('/')).data).toEqual({ up: true });
  });

  it('takes a certificate of the own authority of a company, which a file or a text names, also for its token server', async () => {
    const authority = makeCertificate('DNS:authority.plant');
    const issued = makeCertificate('IP:127.0.0.1', false, authority);
    const url = await serveTls(issued, (_request, response) => response.end('{"token":"t"}'));
    const unknown = await ask(openRig(url));
    expect(unknown.fault).toEqual({ code: 'unavailable', why: 'tls' });
    expect(unknown.message).toMatch(/from an authority that is not trusted/);
    expect(unknown.remedy).toMatch(/authority in tls\.ca/);
    const other = await ask(openRig(url, { tls: { ca: good.cert } }));
    expect(other.remedy).toBe(unknown.remedy);

    const file = join(mkdtempSync(join(tmpdir(), 'databridge-ca-')), 'company.pem');
    writeFileSync(file, `the authority of our plants\n${good.cert}\n${authority.cert}`);
    const tokens = await serveTls(issued, (_request, response) => response.end('{"token":"t"}'));
    const authorisation: Authorisation = {
      sign: (_credentials, token) => ({ Authorization: String(token) }),
      async obtain(http) {
        const { data } = await http.get<{ token: string }>(tokens);
        return { token: data.token, expiresAt: undefined };
      },
    };
    for (const ca of [file, authority.cert])
      expect((await openRig(url, { tls: { ca }, authorisation }).http.get('/')).data).toEqual({ token: 't' });
    rmSync(dirname(file), { recursive: true });
  });

  it('refuses an expired certificate', async () => {
    const url = await serveTls(expired, (_request, response) => response.end('{}'));
    const error = await ask(openRig(url, { tls: { ca: expired.cert } }));
    expect(error.fault).toEqual({ code: 'unavailable', why: 'tls' });
    expect(error.message).toMatch(/has expired/);
    expect(error.remedy).toMatch(/new certificate.*clocks/);
  });

  it('refuses a certificate for another name unless that name is given', async () => {
    const url = await serveTls(other, (_request, response) => response.end('{}'));
    const error = await ask(openRig(url, { tls: { ca: other.cert } }));
    expect(error.fault).toEqual({ code: 'unavailable', why: 'tls' });
    expect(error.message).toMatch(/for another name/);
    expect(error.remedy).toMatch(/tls\.serverName/);
    const named = openRig(url, { tls: { ca: other.cert, serverName: 'historian.plant' } });
    expect((await named.http.get('/')).data).toEqual({});
  });

  it('suggests https when a TLS port is asked in plain http', async () => {
    const url = (await serveTls(good, () => undefined)).replace('https:', 'http:');
    const error = await ask(openRig(url));
    expect(error.code).toBe('unavailable');
    expect(error.remedy).toMatch(/https:\/\//);
  });

  it.each(['/nowhere/ca.pem', 'text', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----'])(
    'refuses %j as a certificate to trust',
    (ca) => expect(() => openRig('https://127.0.0.1', { tls: { ca } })).toThrow(/certificate/),
  );
});
