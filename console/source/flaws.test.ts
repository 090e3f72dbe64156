import { describe, expect, it } from 'vitest';
import type { Refusal } from '../client/api.ts';
import { flawsOf } from './flaws.ts';

const YAML = `# Hall 3
name: hall-3
connection:
  tls:
    url: no address
  "url": ftp://plant
options: { url: x, exactness: none }
project: hall
`;

const at = (pointer: string, place: object = {}) => {
  const errors = [{ pointer, detail: 'is wrong', ...place }];
  return flawsOf({ problem: { errors } } as unknown as Refusal, YAML)[0];
};

describe('a flaw', () => {
  it('stands where the bridge says', () => {
    expect(at('/connection/url', { line: 7, column: 3 })).toEqual({
      line: 7,
      column: 3,
      text: 'connection.url: is wrong',
    });
    expect(at('', { line: 1 })).toEqual({ line: 1, column: 1, text: 'is wrong' });
  });

  it('stands at its field, or the nearest one around it, where the bridge names the field alone', () => {
    const place = (pointer: string) => {
      const { line, column } = at(pointer) ?? {};
      return [line, column];
    };
    expect(place('/project')).toEqual([8, 1]);
    expect(place('/connection/url')).toEqual([6, 3]);
    expect(place('/connection/tls/url')).toEqual([5, 5]);
    expect(place('/options/exactness')).toEqual([7, 1]);
    expect(place('/connection/name')).toEqual([3, 1]);
    expect(place('/pace/burst')).toEqual([0, 0]);
    expect(place('')).toEqual([0, 0]);
  });
});
