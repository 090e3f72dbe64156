import { afterEach, describe, expect, it } from 'vitest';
import { whyBlocked } from './addresses.ts';
import { json, openRig, refusal, resolvesTo, serve, tidyUp } from '../../../test/kit/connection-rig.ts';

afterEach(tidyUp);

describe('addresses', () => {
  it.each([
    '169.254.169.254',
    '169.254.0.1',
    '100.100.100.200',
    '168.63.129.16',
    'fd00:ec2::254',
    'FD00:0EC2:0:0::254',
    'fe80::1',
    'fe80::1%eth0',
    '::ffff:169.254.169.254',
    '::ffff:a9fe:a9fe',
    '::169.254.169.254',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b:1::a9fe:a9fe',
    '2002:a9fe:a9fe::1',
    '::ffff:0:a9fe:a9fe',
    '0.0.0.0',
    '::',
    '224.0.0.1',
    '255.255.255.255',
    'ff02::1',
    'nonsense',
  ])('%s is blocked', (address) => expect(whyBlocked(address)).toBeTypeOf('string'));

  it.each([
    '127.0.0.1',
    '::1',
    '10.0.0.5',
    '192.168.1.1',
    '172.16.0.1',
    'fd12:3456::1',
    '::ffff:10.0.0.5',
    '100.64.0.1',
    '93.184.216.34',
  ])('%s is open', (address) => expect(whyBlocked(address)).toBeUndefined());
});

describe('the egress guard', () => {
  it.each([
    'http://169.254.169.254',
    'http://2852039166',
    'http://0xa9fea9fe',
    'http://0251.0376.0251.0376',
    'http://169.254.43518',
    'http://[::ffff:169.254.169.254]',
    'http://[fd00:ec2::254]',
    'https://[fe80::1]',
    'https://100.100.100.200',
  ])('blocks %s written out', async (url) => {
    const error = await refusal(openRig(url).http.get('/latest/meta-data'));
    expect(error.fault).toEqual({ code: 'unavailable', why: 'blocked' });
    expect(error.remedy).toBeTruthy();
  });

  it('blocks a name that leads to such an address', async () => {
    const error = await refusal(
      openRig('http://metadata.test', {}, { lookup: resolvesTo('169.254.169.254') }).http.get('/'),
    );
    expect(error.fault).toEqual({ code: 'unavailable', why: 'blocked' });
    expect(error.message).toMatch(/metadata\.test: it is an address of cloud metadata/);
  });

  it('ignores such an address where the name has a good one, too', async () => {
    const url = await serve((_request, response) => json(response, 'plant'));
    const rig = openRig(url.replace('127.0.0.1', 'plant.test'), {}, { lookup: resolvesTo('fe80::1', '127.0.0.1') });
    expect((await rig.http.get('/')).data).toBe('plant');
  });

  it('connects to the address it checked, although the name resolves to another one later', async () => {
    const url = await serve((_request, response) => response.setHeader('connection', 'close').end('"plant"'));
    const answers = [['127.0.0.1'], ['169.254.169.254']];
    let asked = 0;
    const rig = openRig(
      url.replace('127.0.0.1', 'rebound.test'),
      {},
      { lookup: (name, options, done) => resolvesTo(...(answers[asked++] ?? []))(name, options, done) },
    );
    expect((await rig.http.get('/')).data).toBe('plant');
    expect(asked).toBe(1);
    expect((await refusal(rig.http.get('/'))).fault).toEqual({ code: 'unavailable', why: 'blocked' });
    expect(asked).toBe(2);
  });

  it('allows only the allowed hosts', async () => {
    const url = await serve((_request, response) => json(response, 1));
    const named = url.replace('127.0.0.1', 'api.plant.test');
    const lookup = resolvesTo('127.0.0.1');
    const ask = (address: string, ...allowHosts: string[]) =>
      openRig(address, { allowHosts }, { lookup }).http.get('/');
    expect((await ask(url, '127.0.0.1')).data).toBe(1);
    expect((await ask(named, 'other.test', 'API.plant.test')).data).toBe(1);
    expect((await ask(named, '*.plant.test')).data).toBe(1);
    for (const allowed of ['plant.test', '*.api.plant.test', '127.0.0.1']) {
      const error = await refusal(ask(named, allowed));
      expect(error.fault).toEqual({ code: 'unavailable', why: 'blocked' });
      expect(error.remedy).toContain('add api.plant.test to DATABRIDGE_EGRESS_HOSTS');
    }
  });

  it('allows only http and https', async () => {
    const rig = openRig(await serve((_request, response) => response.end()));
    expect((await refusal(rig.http.get('data:text/plain,hello'))).code).toBe('contract-broken');
    expect((await refusal(rig.http.get('file:///etc/passwd'))).code).toBe('contract-broken');
  });
});

describe('the address of a source', () => {
  it.each(['not an address', 'ftp://host', 'http://user:pass@host', 'http://host/?a=1', 'http://host/#x'])(
    'cannot be %j',
    (url) => expect(() => openRig(url)).toThrow(expect.objectContaining({ code: 'config-invalid' })),
  );
});
