import { expect, it } from 'vitest';
import { argumentsOf, DEFAULT_ORGANISATION, titleOf } from './source-name.ts';

it('the organisation of a source is named unless it is the default one', () => {
  const plain = { name: 'hall-3', organisation: DEFAULT_ORGANISATION };
  const other = { name: 'hall-3', organisation: 'acme' };
  expect([titleOf(plain), titleOf(other)]).toEqual(['hall-3', 'acme/hall-3']);
  expect([argumentsOf(plain), argumentsOf(other)]).toEqual(['hall-3', 'hall-3 --organisation acme']);
});
