import { pino } from 'pino';
import { beforeEach, expect, it } from 'vitest';
import { refusedAuthenticationsOf } from './refused-authentications.ts';
import type { RefusedAuthentications } from './refused-authentications.ts';

let lines: Record<string, unknown>[];
let refused: RefusedAuthentications;

beforeEach(() => {
  lines = [];
  const write = (line: string): void => {
    const { level, msg, ...facts } = JSON.parse(line) as Record<string, unknown>;
    lines.push({ ...facts, level: level === 40 ? 'warn' : 'info', said: msg });
  };
  refused = refusedAuthenticationsOf(pino({ base: null, timestamp: false }, { write }));
});

const note = (address: string, reason: string, requestId = 'r'): void => refused.note({ requestId, address, reason });

it('logs the first refusal of an address and reason, and the number of the others', () => {
  for (const id of ['1', '2', '3']) note('203.0.113.1', 'invalid-token', id);
  note('203.0.113.1', 'no-token', '4');
  refused.note({ requestId: '5', address: '203.0.113.2', reason: 'expired-token', application: 'app_1' });
  const said = 'an authentication was refused';
  expect(lines.splice(0)).toEqual([
    { requestId: '1', address: '203.0.113.1', reason: 'invalid-token', level: 'warn', said },
    { requestId: '4', address: '203.0.113.1', reason: 'no-token', level: 'warn', said },
    { requestId: '5', address: '203.0.113.2', reason: 'expired-token', application: 'app_1', level: 'info', said },
  ]);
  refused.sum();
  const more = { level: 'info', said: 'more authentications were refused' };
  expect(lines.splice(0)).toEqual([{ address: '203.0.113.1', reason: 'invalid-token', suppressed: 2, ...more }]);
  note('203.0.113.1', 'invalid-token', '6');
  expect(lines).toMatchObject([{ requestId: '6' }]);
});

it('takes the addresses of one client for one', () => {
  note('2001:db8::1', 'no-token');
  note('2001:db8::2', 'no-token');
  note('::ffff:203.0.113.1', 'no-token');
  note('203.0.113.1', 'no-token');
  expect(lines).toHaveLength(2);
});

it('logs at most 501 lines a minute, however many addresses there are, and then their numbers', () => {
  for (let index = 0; index < 2_000; index += 1) note(`10.0.${index >> 8}.${index & 255}`, 'no-token');
  expect(lines.splice(0)).toHaveLength(500);
  refused.sum();
  expect(lines).toMatchObject([{ suppressed: 1_500 }]);
});
