import { expect, it } from 'vitest';
import { insideOf } from './judge.ts';

it.each([
  ['relation "pg_class" does not exist', 'pg_'],
  ['at run (/app/src/main.ts:3:4)', 'at run (/app/src/main.ts:3:4'],
  ['select secret from application', 'select secret from '],
])('sees the inside of the service in %s', (answer, found) => {
  expect(insideOf(answer)).toBe(found);
});

it('sees none in the letters of a token', () => {
  expect(insideOf('{"access_token":"e30.e30.IS3mmJI2UlLJnKrDHSkIjJCO9jlI68QtpPg_wlQhQd6W7e-qw03d"}')).toBeUndefined();
});
