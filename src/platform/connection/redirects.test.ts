import { afterEach, describe, expect, it } from 'vitest';
import { basic, bodyOf, json, openRig, refusal, serve, tidyUp } from '../../../test/kit/connection-rig.ts';

afterEach(tidyUp);

const to = (location: string, status = 302) =>
  serve((request, response) => {
    if (request.url === '/end') void bodyOf(request).then((body) => json(response, [request.method, body]));
    else response.writeHead(status, { location }).end('gone');
  });

describe('a redirect', () => {
  it('within the origin is followed, each hop with a slot of its own', async () => {
    const rig = openRig(await to('/end'));
    expect((await rig.http.get('/')).data).toEqual(['GET', '']);
    expect(rig.slots).toEqual({ taken: 2, released: 2, held: [] });
  });

  it.each([
    [307, ['POST', 'hello']],
    [308, ['POST', 'hello']],
    [302, ['GET', '']],
    [303, ['GET', '']],
  ])('of a POST with %i arrives as the fetch standard says', async (status, arrived) => {
    expect((await openRig(await to('/end', status)).http.post('/', 'hello')).data).toEqual(arrived);
  });

  it('is followed at most three times', async () => {
    const rig = openRig(await to('/again'));
    expect((await refusal(rig.http.get('/'))).fault).toEqual({ code: 'contract-broken' });
    expect(rig.meter.requests).toBe(4);
  });

  it('to another host is not followed, and the remedy names it', async () => {
    let asked = 0;
    const elsewhere = await serve((_request, response) => {
      asked += 1;
      response.end();
    });
    const url = await to(`${elsewhere}/take?code=abc`);
    const error = await refusal(
      openRig(url, { authorisation: basic, credentials: { username: 'u', password: 'p' } }).http.get('/'),
    );
    expect(error.fault).toEqual({ code: 'contract-broken' });
    expect(error.remedy).toMatch(elsewhere);
    expect(error.remedy).not.toMatch('abc');
    expect(asked).toBe(0);
  });

  it('from http to https leads to another origin', async () => {
    const url = await to('https://127.0.0.1:1/');
    expect((await refusal(openRig(url).http.get('/'))).remedy).toMatch('https://127.0.0.1:1');
  });

  it('to a text that is not an address is contract-broken', async () => {
    expect((await refusal(openRig(await to('http://[')).http.get('/'))).fault).toEqual({ code: 'contract-broken' });
  });

  it('that is expected is returned', async () => {
    const { headers } = await openRig(await to('/end')).http.get('/', { expect: [302], responseType: 'text' });
    expect(headers['location']).toBe('/end');
  });
});

it('a signed request to another host is not sent', async () => {
  const rig = openRig(await to('/end'));
  const error = await refusal(rig.http.get('http://elsewhere.test/page/2'));
  expect(error.fault).toEqual({ code: 'contract-broken' });
  expect(error.remedy).toMatch('http://elsewhere.test');
  expect(rig.meter.requests).toBe(0);
});
