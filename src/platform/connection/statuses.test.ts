import { afterEach, describe, expect, it } from 'vitest';
import type { ServerResponse } from 'node:http';
import { inSeconds, json, openRig, refusal, serve, tidyUp } from '../../../test/kit/connection-rig.ts';

afterEach(tidyUp);

async function answeredWith(status: number, headers: Record<string, string> = {}, body = '') {
  const url = await serve((_request, response) => response.writeHead(status, { date: '', ...headers }).end(body));
  const rig = openRig(url);
  const error = await refusal(rig.http.get('/data?q=1'));
  expect(rig.slots.released).toBe(rig.slots.taken);
  return { error, rig, url };
}

describe('the error of a status', () => {
  it.each([
    [400, { code: 'contract-broken' }],
    [403, { code: 'credentials-rejected', right: true }],
    [404, { code: 'contract-broken' }],
    [405, { code: 'contract-broken' }],
    [408, { code: 'unavailable', why: 'time-out', status: 408 }],
    [413, { code: 'too-much' }],
    [422, { code: 'contract-broken' }],
    [500, { code: 'unavailable', why: 'status', status: 500 }],
    [502, { code: 'unavailable', why: 'status', status: 502 }],
    [503, { code: 'unavailable', why: 'status', status: 503 }],
    [504, { code: 'unavailable', why: 'status', status: 504 }],
    [304, { code: 'contract-broken' }],
  ])('%i', async (status, fault) => {
    const { error, url } = await answeredWith(status);
    expect(error.fault).toEqual(fault);
    expect(error.message).toMatch(`GET ${url}/data: ${status} `);
    if (error.code !== 'too-much') expect(error.remedy).toBeTruthy();
  });

  it('401 is final when one repeat confirms it', async () => {
    const { error, rig } = await answeredWith(401);
    expect(error.fault).toEqual({ code: 'credentials-rejected', right: false });
    expect(rig.meter.requests).toBe(2);
  });

  it.each([
    ['{"error":"invalid_request","error_description":"no  such\\nthing"}', 'no such thing'],
    ['{"Errors":["Point not found"]}', 'Point not found'],
    ['{"error":{"code":400,"message":"bad window"}}', 'bad window'],
    ['<html><head><title>Bad Request</title></head><body>x</body></html>', 'Bad Request'],
    ['<p>No <b>title</b></p><script>x()</script>', 'No title'],
    ['{"odd', '{"odd'],
  ])('the message has the words of the platform: %s', async (body, words) => {
    const { error, url } = await answeredWith(400, {}, body);
    expect(error.message).toBe(`GET ${url}/data: 400 Bad Request: ${words}`);
  });

  it('the words of the platform are shortened, and the rest of the answer is not read', async () => {
    const { error } = await answeredWith(500, {}, 'x'.repeat(1_000_000));
    expect(error.message.length).toBeLessThan(500);
  });
});

describe('a platform that asks for silence', () => {
  it.each([
    ['seconds', 429, { 'retry-after': '30' }, 30, true],
    [
      'a date against the date of the answer',
      429,
      { 'retry-after': 'Sat, 21 Nov 2015 08:02:00 GMT', date: 'Sat, 21 Nov 2015 08:01:00 GMT' },
      60,
      true,
    ],
    ['a date alone', 429, { 'retry-after': 'Sat, 21 Nov 2026 08:01:00 GMT' }, 60, true],
    ['a date in the past, as if it named no time', 429, { 'retry-after': 'Sat, 21 Nov 2015 08:01:00 GMT' }, 5, false],
    ['no second at all, as if it named no time', 429, { 'retry-after': '0' }, 5, false],
    ['years, for as long as the source grants', 429, { 'retry-after': '99999999' }, 3_600, true],
    ['nothing', 429, {}, 5, false],
    ['nonsense', 429, { 'retry-after': 'soon' }, 5, false],
    ['503 with seconds', 503, { 'retry-after': '2' }, 2, true],
  ])('%s', async (_what, status, headers, seconds, stated) => {
    const { error, rig } = await answeredWith(status, headers as Record<string, string>);
    expect(error.fault).toEqual({ code: 'throttled', retryAt: inSeconds(seconds), stated });
    expect(rig.slots.held).toEqual([inSeconds(seconds)]);
  });

  it('for longer than the source grants is told what it asked for', async () => {
    const { error } = await answeredWith(503, { 'retry-after': '86400' });
    expect(error.message).toMatch(/asks for 1d of silence, and pace.longestSilence grants 1h; waiting until/);
    expect(error.remedy).toMatch(/source poll/);
  });

  it('with 503 and no second at all is unavailable, so that the wait grows', async () => {
    const { error } = await answeredWith(503, { 'retry-after': '0' });
    expect(error.fault).toEqual({ code: 'unavailable', why: 'status', status: 503 });
  });

  it('is throttled even when the pacer cannot store the hold', async () => {
    const url = await serve((_request, response) => response.writeHead(429).end());
    const pacer = {
      slot: async () => ({ inDoubt: true, release: () => undefined }),
      hold: () => Promise.reject(new Error('away')),
    };
    const error = await refusal(openRig(url, {}, { pacer }).http.get('/'));
    expect(error.code).toBe('throttled');
  });
});

describe('the rest of a quota', () => {
  const heldAfter = async (headers: Record<string, string>, status = 200) => {
    const url = await serve((_request, response) => response.writeHead(status, headers).end('{}'));
    const signs: unknown[] = [];
    const pacer = {
      slot: async () => ({ inDoubt: true, release: () => undefined }),
      hold: async (until: number, sign: unknown) => void signs.push({ until: until > 0, ...(sign as object) }),
    };
    await openRig(url, {}, { pacer })
      .http.get('/')
      .catch(() => undefined);
    return signs;
  };

  it('is told to the pace after a good answer, too; a used one is waited for', async () => {
    const quota = (remaining: number) => ({ remaining, reset: 30_000_000 });
    expect(await heldAfter({ ratelimit: '"default";r=50;t=30' })).toEqual([
      { until: false, why: 'quota', quota: quota(50) },
    ]);
    expect(await heldAfter({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '30' })).toEqual([
      { until: true, why: 'quota', quota: quota(0) },
    ]);
    expect(await heldAfter({ 'x-ratelimit-remaining': '-1', 'x-ratelimit-reset': 'soon' })).toEqual([]);
  });

  it('is no reason beside a refusal', async () => {
    const quota = { ratelimit: '"default";r=50;t=30' };
    expect(await heldAfter(quota, 429)).toEqual([{ until: true, why: 'throttled' }]);
    expect(await heldAfter(quota, 503)).toEqual([{ until: false, why: 'unavailable' }]);
    expect(await heldAfter(quota, 500)).toEqual([]);
  });
});

describe('a status the caller expects', () => {
  const answer = (response: ServerResponse) => json(response, { nothing: 'here' }, 404);

  it('is returned with its JSON', async () => {
    const url = await serve((_request, response) => answer(response));
    const { status, data } = await openRig(url).http.get('/', { expect: [404] });
    expect([status, data]).toEqual([404, { nothing: 'here' }]);
  });

  it('is returned with its text where that is not JSON', async () => {
    const url = await serve((_request, response) => response.writeHead(400).end('<p>no</p>'));
    expect((await openRig(url).http.get('/', { expect: [400] })).data).toBe('<p>no</p>');
  });

  it('can be 401, and then the request is not repeated', async () => {
    const url = await serve((_request, response) => json(response, {}, 401));
    const rig = openRig(url);
    expect((await rig.http.get('/', { expect: [401] })).status).toBe(401);
    expect(rig.meter.requests).toBe(1);
  });
});
