import { afterAll, expect, it } from 'vitest';
import { assertNothingLeaked } from '../kit/leaks.ts';
import { push } from './push-rig.ts';

afterAll(assertNothingLeaked);

/** No server listens at this address, so a command that sends a request ends with 1 instead of 2. */
const env: NodeJS.ProcessEnv = {
  DATABRIDGE_PUSH_URL: 'http://127.0.0.1:9999',
  DATABRIDGE_APPLICATION_ID: 'app',
  DATABRIDGE_APPLICATION_SECRET: 'some-secret',
};

const HALL = ['--project', 'hall', '--give-up-after', '0'];

const CASES: readonly [args: string[], message: RegExp, env?: NodeJS.ProcessEnv][] = [
  [['no-such-file', ...HALL], /no-such-file cannot be read: ENOENT/],
  [['/', ...HALL], /it is a directory/],
  [['-'], /--project/],
  [['-', ...HALL, '--batch', '0'], /whole number/],
  [['-', ...HALL, '--give-up-after', 'long'], /length of time/],
  [['-', ...HALL, '--format', 'json'], /ndjson, csv/],
  [['-', ...HALL, '--resume'], /standard input cannot be resumed/],
  [['-', ...HALL, '--resume', '--restart'], /--resume and --restart say different things/],
  [['-', ...HALL, '--secret-file', '/no-such-file'], /no-such-file cannot be read/],
  [['-', ...HALL, '--url', 'ftp://x'], /http or https address/],
  [['-', ...HALL, '--url', 'http://user:some-password@x'], /no user and no password/],
  [['-', ...HALL, '--format', 'csv'], /no column "[^]*sensorId,valueName,date,value,precision,labels/],
  [['-', ...HALL, '--refused', '/no-such-directory/x'], /cannot be written[^]*name another file/],
  [['-', ...HALL], /no application is named[^]*application create/, { DATABRIDGE_APPLICATION_ID: '' }],
  [['-', ...HALL], /DATABRIDGE_APPLICATION_SECRET is not set/, { DATABRIDGE_APPLICATION_SECRET: '' }],
];

it('options that cannot be right end the command with 2 and a remedy, before a request is sent', async () => {
  for (let from = 0; from < CASES.length; from += 4) {
    const runs = CASES.slice(from, from + 4).map(async ([args, message, more]) => {
      const { code, stderr } = await push({ ...env, ...more }, args, '{"x":1}\n');
      expect([args, code, stderr]).toEqual([args, 2, expect.stringMatching(message)]);
      expect(stderr).not.toContain('some-password');
    });
    await Promise.all(runs);
  }
});

it('an address without a service ends the command with 1 and says so', async () => {
  const { code, stderr, stdout } = await push(env, ['-', ...HALL, '--json'], '{"x":1}\n');
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({ finished: false, read: 0, requests: 1 });
  expect(JSON.parse(stderr)).toMatchObject({
    error: {
      message: expect.stringContaining('no program listens there') as string,
      remedy: expect.any(String) as string,
    },
  });
});
