import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { faultsOf, stateOf, summaryOf, writtenChecklist } from '../security/checklist.ts';
import type { Entry } from '../security/checklist.ts';
import { ROOT, sourceFiles } from './source-files.ts';

describe('the checklist of OWASP ASVS', () => {
  const written = writtenChecklist();
  const [first] = written as [Entry];

  it('has each requirement of its chapters once, in words, and names tests that exist', () => {
    expect(faultsOf(written)).toEqual([]);
  });

  it.each([
    ['a test that does not exist', { ...first, shown: `${String([first.shown].flat()[0])}?` }, 'there is no test'],
    ['a file that is no test', { ...first, shown: 'src/main.ts > a > b' }, 'there is no test'],
    ['no words', { ...first, words: ' ' }, 'words'],
    ['another level', { ...first, level: 3 - first.level }, 'is no requirement of level'],
    ['a number that the standard does not have', { ...first, id: '1.1.9' }, '1.1.9: is no requirement'],
    ['no state', { id: first.id, level: first.level, words: 'a' }, 'says nothing'],
    ['two states', { ...first, not: 'It does not apply.' }, 'applies or not'],
  ])('does not take an entry with %s', (_, entry, fault) => {
    expect(faultsOf([entry, ...written.slice(1)]).join('\n')).toContain(fault);
  });

  it('takes no requirement twice, and leaves none out', () => {
    expect(faultsOf([first, ...written])).toEqual([`${first.id}: stands twice`]);
    expect(faultsOf(written.slice(1))).toEqual([`${first.id}: is missing`]);
  });

  it('counts what holds', () => {
    const entries = [
      { shown: ['a'] },
      { shown: ['a'], when: 'b' },
      { shown: ['a'], open: 'c' },
      { not: 'd' },
    ] as unknown as Entry[];
    expect(entries.map(stateOf)).toEqual(['holds', 'holds', 'open', 'not']);
    expect(summaryOf(entries).counts).toBe(
      '3 of 4 requirements apply: 2 hold with a test (67 %; 1 of them under a setting), 1 are open',
    );
  });
});

/** Simulated platforms are for the demo and tests, and speak as the platforms do. */
const files = sourceFiles('src', 'adapters').filter(
  ({ path }) => !path.startsWith('src/simulator/') && !/^adapters\/.*simulator/.test(path),
);

const holding = (pattern: RegExp): string[] => files.filter(({ text }) => pattern.test(text)).map(({ path }) => path);

/** What the first group of a pattern finds in all files, each once. */
const found = (pattern: RegExp): string[] =>
  [...new Set(files.flatMap(({ text }) => [...text.matchAll(pattern)].map(([, one = '']) => one)))].sort();

describe('the sources', () => {
  it('run no text as code', () => {
    expect(holding(/\beval\(|\bnew Function\b|['"]node:vm['"]/)).toEqual([]);
  });

  it('start programs without a shell, in few files', () => {
    expect(holding(/node:child_process/)).toEqual([
      'src/database/embedded/postmaster.ts',
      'src/database/embedded/process-identity.ts',
      'src/database/embedded/run.ts',
    ]);
    expect(found(/^import \{([^}]*)\} from 'node:child_process'/gm)).toEqual([' execFileSync ', ' spawn ']);
    expect(holding(/\bshell: true/)).toEqual([]);
  });

  it('name the algorithms that are allowed, and no other', () => {
    expect(found(/\bcreate(?:Hash|Hmac)\(([^,)]*)/g)).toEqual([`'sha256'`]);
    expect(found(/\bargon2\(([^,)]*)/g)).toEqual([`'argon2id'`]);
    expect(found(/\b(?:alg|enc): ('[^']*')/g)).toEqual([`'A256GCM'`, `'EdDSA'`, `'dir'`]);
    expect(found(/\bALGORITHM = ([^;]*)/g)).toEqual([`'EdDSA'`]);
    expect(found(/\bgenerateKeyPair\((.*)\);/g)).toEqual([`ALGORITHM, { crv: 'Ed25519', extractable: true }`]);
    const functions = found(/^import \{([^}]*)\} from 'node:crypto'/gm).flatMap((names) => names.split(','));
    expect([...new Set(functions.map((name) => name.trim()))].sort()).toEqual([
      'X509Certificate',
      'argon2',
      'createHash',
      'createHmac',
      'randomBytes',
      'randomInt',
      'randomUUID',
      'timingSafeEqual',
    ]);
    expect(holding(/\bcrypto\.subtle\b|\brejectUnauthorized: false\b/)).toEqual([]);
  });

  it('use guessable random numbers for waits alone', () => {
    expect(found(/(.{0,8}\bMath\.random\b)/g)).toEqual(['random: Math.random']);
    expect(holding(/\brandomUUID\b/).filter((path) => /^src\/(?:access|api|operator)\//.test(path))).toEqual([
      // The id of a token, which its signature protects.
      'src/access/access-tokens.ts',
    ]);
  });
});

describe('the libraries', () => {
  it('are listed with their hashes, and all come from one registry', () => {
    const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
      packages: Readonly<
        Record<string, { readonly resolved?: string; readonly integrity?: string; readonly optional?: true }>
      >;
    };
    const libraries = Object.entries(packages).filter(([path]) => path !== '');
    expect(libraries.length).toBeGreaterThan(100);
    const origins = new Set<string>();
    for (const [path, { resolved, integrity, optional }] of libraries) {
      if (resolved !== undefined) origins.add(new URL(resolved).origin);
      // npm writes none for the parts of other systems.
      if (optional !== true) expect(integrity, path).toMatch(/^sha512-/);
    }
    // Without an address npm asks the registry that it is configured with. A repository of git has the origin "null".
    expect(origins.size).toBeLessThanOrEqual(1);
    expect([...origins].every((origin) => origin.startsWith('https://'))).toBe(true);
  });
});
