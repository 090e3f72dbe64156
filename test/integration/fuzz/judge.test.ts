import { expect, it } from 'vitest';
import { insideOf } from './judge.ts';

it.each([
  ['relation "pg_class" does not exist', 'pg_'],
  ['at run (/app/main.ts:3:4)', '.ts:3'],
  ['at run (node:internal/process:3:4)', 'node:internal'],
  ['select secret from application', 'select secret from '],
])('sees the inside of the service in %s', (answer, found) => {
  expect(insideOf(answer)).toBe(found);
});

it('sees none in instants of a sender, nor in the letters of a token', () => {
  expect(insideOf('use at most 128 characters: "2026-02-30T00:00:00Z" is no id')).toBeUndefined();
  expect(insideOf('{"access_token":"e30.e30.IS3mmJI2UlLJnKrDHSkIjJCO9jlI68QtpPg_wlQhQd6W7e-qw03d"}')).toBeUndefined();
});
