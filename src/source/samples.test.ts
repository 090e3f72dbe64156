import { describe, expect, it } from 'vitest';
import { allPlatforms } from '../../adapters/index.ts';
import { kinds } from '../../adapters/kinds.ts';
import { formatProblem } from '../core/source/problems.ts';
import { parseSource } from '../core/source/source.ts';
import { readSources } from './file.ts';

const platforms = await allPlatforms();

const root = new URL('../../', import.meta.url).pathname;

describe('the samples that an operator starts from are sources', () => {
  it.each([['config/sources'], ...platforms.map(({ name }) => [`adapters/platforms/${name}/source.sample.yaml`])])(
    '%s',
    async (path) => {
      for (const read of await readSources(`${root}${path}`)) {
        expect(read).toMatchObject({ ok: true });
        const parsed = read.ok ? parseSource(read.input, platforms, { kinds }) : undefined;
        expect(parsed?.ok === false ? parsed.problems.map(formatProblem) : []).toStrictEqual([]);
        // A sample shows references to secrets that stay outside of the file, and holds no secret itself.
        expect(JSON.stringify(read.ok ? read.input : '')).toMatch(/\$\{(env|file):/);
      }
    },
  );
});
