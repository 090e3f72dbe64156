import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { fromPs, identifyProcess, liveness, parseIdentity, thisProcess } from './process-identity.ts';

it('identifies itself, and reads its identity again from a text', () => {
  const noted = parseIdentity(JSON.stringify(thisProcess()));
  expect(noted).toEqual(thisProcess());
  expect(liveness(thisProcess())).toBe('alive');
});

it('does not take a process for another with the same number', () => {
  expect(liveness({ ...thisProcess(), startedAt: '1' })).toBe('dead');
  expect(liveness({ ...thisProcess(), where: 'another boot' })).toBe('elsewhere');
});

it('takes an ended process for dead', async () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => 0, 1000)'], { stdio: 'ignore' });
  const noted = identifyProcess(child.pid ?? 0);
  expect(noted?.pid).toBe(child.pid);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(noted === undefined ? undefined : liveness(noted)).toBe('dead');
});

it('reads no identity from a torn note', () => {
  for (const text of ['', '{"pid":1', '{"pid":"1","startedAt":"","where":""}', 'null']) {
    expect(parseIdentity(text)).toBeUndefined();
  }
});

it.runIf(existsSync('/bin/ps') || existsSync('/usr/bin/ps'))(
  'gets the same answer twice from ps, and none for a number without a process',
  () => {
    expect(fromPs(process.pid)).toEqual({ state: expect.any(String), startedAt: fromPs(process.pid)?.startedAt });
    expect(fromPs(process.pid)?.startedAt).toMatch(/\d\d:\d\d:\d\d \d{4}$/);
    expect(fromPs(2 ** 22 + 1)).toBeUndefined();
  },
);
