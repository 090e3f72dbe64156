import { expect, it } from 'vitest';
import { keepInWords, parseKeep } from './keep.ts';

it('takes days, weeks, months and years, and for ever', () => {
  for (const keep of ['90d', '26w', '18mo', '3y', '9999d', '100y']) expect(parseKeep(keep)).toEqual({ keep });
  expect(parseKeep('forever')).toEqual({ keep: undefined });
  for (const wrong of ['', '0y', '3', '3 y', '3m', '3Y', '1.5y', '-1y', 'P3Y', '10000d', '101y', '9999y', '1y6mo'])
    expect(parseKeep(wrong)).toBeUndefined();
  expect([keepInWords('3y'), keepInWords(null)]).toEqual(['3y', 'forever']);
});
