import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OPERATOR_ROLES } from '../../src/core/operator-role.ts';
import { faultOfPassword } from '../../src/core/password-rules.ts';
import { describeSettings } from '../../src/settings.ts';
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

/** In the order of their names, because file systems list a folder in an order of their own. */
const holding = (pattern: RegExp): string[] =>
  files
    .filter(({ text }) => pattern.test(text))
    .map(({ path }) => path)
    .toSorted();

/** What the first group of a pattern finds in all files, each once. */
const found = (pattern: RegExp): string[] =>
  [...new Set(files.flatMap(({ text }) => [...text.matchAll(pattern)].map(([, one = '']) => one)))].sort();

describe('the sources', () => {
  it('run no text as code', () => {
    expect(holding(/\beval\(|\bnew Function\b|['"]node:vm['"]/)).toEqual([]);
  });

  it('start programs without a shell, in few files', () => {
    expect(holding(/node:child_process/)).toEqual([
      'adapters/platforms/http-json/evaluators.ts',
      'src/database/embedded/postmaster.ts',
      'src/database/embedded/process-identity.ts',
      'src/database/embedded/run.ts',
      'src/operator/console-files.ts',
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
    expect(found(/(\w+)\([^()]*(?:\([^()]*\)[^()]*)?\bMath\.random\b/g)).toEqual([
      'rampSpread',
      'refusedDelay',
      'retryDelay',
    ]);
    expect(found(/(.{12}\bMath\.random\b)/g).filter((line) => !/^.*, Math\.random$/.test(line))).toEqual([]);
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

describe('SECURITY.md', () => {
  /** Addresses at which others reach the bridge, and a name in tokens; it asks nobody there. */
  const others = 'DATABRIDGE_API_PUBLIC_URL DATABRIDGE_OPERATOR_URL DATABRIDGE_TOKEN_ISSUER';
  const page = readFileSync(join(ROOT, 'SECURITY.md'), 'utf8').replaceAll(/\s+/g, ' ');

  it.each<[file: string, code: RegExp, text: RegExp]>([
    ['src/core/password-rules.ts', /LEAST = (\d+)/, /have (\d+) to \d+ characters/],
    ['src/core/password-rules.ts', /MOST = (\d+)/, /have \d+ to (\d+) characters/],
    ['src/access/operator-passwords.ts', /TEMPORARY = `interval '(\d+) day'/, /end after (\d+) day /],
    [
      'src/access/operator-sessions.ts',
      /IDLE = `interval '(\d+) minutes'/,
      /ends after (\d+) minutes without a request/,
    ],
    ['src/access/operator-sessions.ts', /LONGEST = `interval '(\d+) hours'/, /without a request and after (\d+) hours/],
    ['src/access/operator-sessions.ts', /MOST_SESSIONS = (\d+)/, /at most (\d+) sessions/],
    ['src/access/operator-tokens.ts', /LONGEST_DAYS = (\d+)/, /at most (\d+) days/],
    ['src/access/refresh-tokens.ts', /GRACE: Microseconds = (\d+) \* SECOND/, /\((\d+) s of grace/],
    ['src/access/password.ts', /AT_A_TIME = (\d+)/, /checks at a time \| (\d+), and/],
    ['src/access/password.ts', /MOST_WAITING = (\d+)/, /checks at a time \| \d+, and (\d+) that wait/],
    ['src/access/password.ts', /PASSES = (\d+)/, /argon2id, 19 MiB, (\d+) passes/],
    ['src/operator/sign-in-limits.ts', /OF_PAIR = (\d+)/, /of a name at an address \| (\d+) in/],
    ['src/operator/sign-in-limits.ts', /OF_ADDRESS = (\d+)/, /passwords at an address \| (\d+) in/],
    [
      'src/operator/sign-in-limits.ts',
      /PERIOD_MS = (\d+) \* 60_000/,
      /passwords at an address \| \d+ in (\d+) minutes/,
    ],
    ['src/operator/authenticate.ts', /FAILURES_PER_MINUTE = (\d+)/, /of an address \| (\d+) a minute/],
    ['src/operator/oidc-client.ts', /PATIENCE_MS = (\d+)_000/, /OpenID provider \| [^|]*\| (\d+) s/],
    ['src/operator/events.ts', /each: (\d+), all/, /events \((\d+) for each operator/],
    ['src/operator/events.ts', /each: \d+, all: (\d+)/, /operator, (\d+) in a process/],
    ['src/api/read-back-schema.ts', /READ_BACKS_PER_MINUTE = (\d+)/, /read-backs \((\d+) a minute/],
    [
      'adapters/platforms/http-json/evaluator.ts',
      /EVALUATING_MS = (\d+)_000/,
      /expressions of `http-json` \((\d+) s of computing/,
    ],
  ])('has the number of %s: %s', (file, code, text) => {
    const [, there] = code.exec(readFileSync(join(ROOT, file), 'utf8')) ?? [];
    expect(there).toMatch(/^\d+$/);
    expect(text.exec(page)?.[1]).toBe(there);
  });

  it('names the algorithms of the code, and settings that there are', () => {
    for (const name of ['A256GCM', 'EdDSA', 'Ed25519', 'argon2id', 'SHA-256']) expect(page).toContain(name);
    const settings = new Set(describeSettings().map(({ name }) => name));
    const named = [...page.matchAll(/\b(?:DATABRIDGE_[A-Z_]*[A-Z]|DATABASE_URL|REDIS_URL)\b(?!_?…)/g)].map(
      ([name]) => name,
    );
    expect(named.length).toBeGreaterThan(15);
    expect(named.filter((name) => !settings.has(name))).toEqual([]);
    for (const { name } of describeSettings())
      if (/_(?:URL|ISSUER|ADAPTERS)$/.test(name)) expect(page + others).toContain(name);
  });

  it('has each line that the servers log, and each kind of change of the audit', () => {
    const servers = files.filter(({ path }) => /^src\/(?:api|operator)\//.test(path));
    const lines = servers.flatMap(({ text }) =>
      [...text.matchAll(/\blog(?:\.(?:info|warn|error)|\[[^\]]*\])\(([^;]*?)\)[;,\n]/g)].flatMap(([, call = '']) =>
        [...call.matchAll(/'([^'\n]* [^'\n]*)'/g)].map(([, line = '']) => line),
      ),
    );
    expect(lines.length).toBeGreaterThan(10);
    expect(lines.filter((line) => !page.includes(`\`${line}\``))).toEqual([]);
    const named = /\| event \| line of the log \|(.*?)The audit/.exec(page)?.[1] ?? '';
    const sources = servers.map(({ text }) => text).join('\n');
    for (const [, line = ''] of named.matchAll(/`([^`]*)`/g)) {
      if (!/^more .* were refused$/.test(line)) expect(sources).toContain(`'${line}'`);
    }
    const kinds = found(/\baudit\([^;]*?'([a-z-]+)\.[a-z-]+'/g);
    expect(kinds.length).toBeGreaterThan(8);
    for (const kind of kinds) expect(page).toContain(`\`${kind}\``);
  });

  it('names the aim for holes in libraries', () => {
    expect(page).toMatch(/within \d+ days where strangers can reach it and within \d+ days elsewhere/);
  });

  it('has each role, and the words that no password may consist of', () => {
    for (const role of OPERATOR_ROLES) expect(page).toContain(`| \`${role}\` |`);
    for (const word of ['databridge', 'operator', 'plant', 'maintenance', 'admin']) {
      expect(page).toContain(`\`${word}\``);
      expect(
        [`${word}1234`, `${word}12345`, `${word}1234567`, `${word}123`].map((one) => faultOfPassword(one, 'x')),
      ).toContain('it is one of those that are guessed first');
    }
  });
});
