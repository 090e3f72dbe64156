import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { parse } from 'yaml';
import { expect } from 'vitest';
import { kinds } from '../../adapters/kinds.ts';
import { DAY, HOUR } from '../../src/core/instant.ts';
import { optionTable } from '../../src/core/source/option-table.ts';
import { isMapping, parsePath, valueAt } from '../../src/core/source/path.ts';
import { formatProblem } from '../../src/core/source/problems.ts';
import { parseReference } from '../../src/core/source/reference.ts';
import { schemaKeys, schemaAt, shapeOf } from '../../src/core/source/shape.ts';
import { parseSource } from '../../src/core/source/source.ts';
import type { SourceConfig } from '../../src/core/source/source.ts';
import type { Platform } from '../../src/platform/contract.ts';
import type { SubjectRules } from './kit/on-ground.ts';
import { PLATFORMS } from './kit/subject.ts';
import type { Subject } from './kit/subject.ts';

const ROOT = join(PLATFORMS, '../..');

const textOf = ({ name }: Platform, file: string): string => readFileSync(join(PLATFORMS, name, file), 'utf8');

function sampleOf(platform: Platform): Record<string, unknown> {
  const sample: unknown = parse(textOf(platform, 'source.sample.yaml'));
  if (!isMapping(sample)) throw new Error('the sample is not a source');
  return { ...sample };
}

/** The source of the sample, as an operator would register it. */
export function sourceOf(platform: Platform): SourceConfig {
  const parsed = parseSource(sampleOf(platform), [platform], { kinds });
  if (!parsed.ok) throw new Error(parsed.problems.map(formatProblem).join('\n'));
  return parsed.source;
}

const SECTIONS = {
  'what it is': /^# \S.*\n\n\S/,
  'what the operator needs': /^## What to ask the customer for$/m,
  'its options': /^## Options$/m,
  'its limits and traps': /^## Limits and traps$/m,
  'how it was verified': /\*\*Verified against .*\*\*/s,
};

/** Names of options that are always secrets. */
const SECRET_NAME = /password|passphrase|secret|token|api_?key|credential/i;

/** Packages a platform may import, besides src/core, src/platform and its own folder; all I/O goes through its http. */
const PACKAGES = new Set(['zod', 'luxon', 'jsonata', 'csv-parse/sync', 'node:stream', 'node:buffer']);

/** What one of them may import besides: http-json evaluates the expressions of operators in processes that it can end. */
const ALSO: Readonly<Record<string, readonly string[]>> = {
  'http-json': ['node:child_process', 'node:os', 'node:path', 'node:v8'],
};

/** Every file that an entry imports, directly or not, each with its own imports. */
function importsFrom(entry: string, seen = new Map<string, string[]>()): Map<string, string[]> {
  if (seen.has(entry)) return seen;
  const source = readFileSync(entry, 'utf8');
  const found = [...source.matchAll(/(?:\bfrom|\bimport|\bimport\(|\brequire\()\s*['"]([^'"]+)['"]/g)].map(
    ([, name = '']) => name,
  );
  seen.set(entry, found);
  for (const name of found) {
    const target = resolve(dirname(entry), name);
    if (name.startsWith('.') && target.startsWith(join(ROOT, 'adapters'))) importsFrom(target, seen);
  }
  return seen;
}

const RULES: Readonly<Record<string, (platform: Platform) => void>> = {
  'its README says what an operator needs to know': (platform) => {
    const readme = textOf(platform, 'README.md');
    const missing = Object.entries(SECTIONS).filter(([, section]) => !section.test(readme));
    expect(missing.map(([what]) => what)).toEqual([]);
    expect(readme).toContain(platform.title);
  },

  'its README has the options of today': (platform) => {
    const readme = textOf(platform, 'README.md');
    const table = /<!-- generated: options -->\n([\s\S]*?)<!-- \/generated -->/.exec(readme)?.[1];
    expect(table?.trim()).toBe(optionTable(platform));
  },

  'its sample is a source of it, with secrets kept outside': (platform) => {
    const { platform: named, secrets, raw } = sourceOf(platform);
    expect(named).toBe(platform.name);
    expect(secrets).not.toEqual([]);
    for (const secret of secrets) {
      const value = valueAt(raw, parsePath(secret) ?? []);
      expect(parseReference(String(value)), `${secret} of the sample`).toBeDefined();
    }
  },

  'unknown keys are refused': (platform) => {
    const sample = sampleOf(platform);
    // A custom connection takes any field, because only the platform knows its fields.
    const blocks = sample['kind'] === 'custom' ? ['options', 'schedule'] : ['options', 'schedule', 'connection'];
    for (const block of blocks) {
      const changed = { ...sample, [block]: { ...(sample[block] as object | undefined), nonsense: 1 } };
      const parsed = parseSource(changed, [platform], { kinds });
      const paths = parsed.ok ? [] : parsed.problems.map(({ path }) => path);
      expect(paths, block).toContain(`${block}.nonsense`);
    }
  },

  'its secrets are marked, and its options are described': (platform) => {
    const check = (path: readonly string[], field: string): void => {
      const here = schemaAt(platform.options, [...path, field]);
      const shape = here && shapeOf(here);
      const name = [...path, field].join('.');
      expect(shape?.description, `${name} has no description`).toMatch(/\S/);
      if (SECRET_NAME.test(field)) expect(shape?.secret, `${name} is not marked as a secret`).toBe(true);
      for (const below of schemaKeys(here)) check([...path, field], below);
    };
    for (const field of schemaKeys(platform.options)) check([], field);
    const kind = kinds[sourceOf(platform).kind as keyof typeof kinds];
    for (const field of schemaKeys(kind)) {
      const schema = schemaAt(kind, [field]);
      if (SECRET_NAME.test(field)) expect(schema && shapeOf(schema).secret, field).toBe(true);
    }
  },

  'its place names fields of its sources, and no secrets': (platform) => {
    // Without the address, a source that was pointed to another server would keep the coverage of the old one.
    expect(platform.place).toContain('connection.url');
    expect(new Set(platform.place).size).toBe(platform.place.length);
    for (const path of platform.place) {
      const [block, ...keys] = parsePath(path) ?? [];
      const schemas =
        block === 'options'
          ? [platform.options]
          : Object.keys(platform.kinds).map((kind) => kinds[kind as keyof typeof kinds]);
      expect(['options', 'connection'], path).toContain(block);
      for (const schema of schemas) {
        const field = schemaAt(schema, keys);
        expect(field, `${path} is no field`).toBeDefined();
        expect(field && shapeOf(field).secret, `${path} is a secret`).toBe(false);
      }
    }
  },

  'its facts are sane': ({ facts }) => {
    const { maxWindow, minWindow, resolution, sensorsPerRead, namesVariables, pace, lateness, overlap } = facts;
    const { bounds, order, page, sameInstant, failsAs, quality = {} } = facts;
    for (const length of [maxWindow, minWindow, resolution, lateness, overlap]) {
      expect(Number.isSafeInteger(length)).toBe(true);
    }
    expect(resolution).toBeGreaterThanOrEqual(1);
    // A shorter window would be asked for as a longer one.
    expect(minWindow).toBeGreaterThanOrEqual(resolution);
    for (const bound of [bounds.from, bounds.to]) expect(['inclusive', 'exclusive', 'unknown']).toContain(bound);
    expect(['ascending', 'descending', 'none']).toContain(order);
    expect(page.cap === Infinity || Number.isInteger(page.cap)).toBe(true);
    // Only an answer that nothing cuts needs no sign of more.
    expect(page.cap === Infinity || page.more !== 'none').toBe(true);
    expect(['one', 'many']).toContain(sameInstant);
    expect(['status', 'inside-200', 'whole-batch']).toContain(failsAs);
    for (const precision of Object.values(quality)) {
      expect(precision === 'refuse' || (Number.isInteger(precision) && precision >= 0 && precision <= 100)).toBe(true);
    }
    expect(minWindow).toBeGreaterThanOrEqual(1);
    expect(maxWindow).toBeGreaterThanOrEqual(minWindow);
    expect(maxWindow).toBeLessThanOrEqual(366 * DAY);
    expect(overlap).toBeGreaterThanOrEqual(0);
    expect(overlap).toBeLessThanOrEqual(maxWindow);
    expect(lateness).toBeGreaterThanOrEqual(0);
    expect(lateness).toBeLessThanOrEqual(DAY);
    expect(sensorsPerRead).toBeGreaterThanOrEqual(1);
    expect(sensorsPerRead === Infinity || Number.isInteger(sensorsPerRead)).toBe(true);
    expect(typeof namesVariables).toBe('boolean');
    expect(pace.requestsPerSecond).toBeGreaterThan(0);
    expect(pace.requestsPerSecond).toBeLessThanOrEqual(100);
    for (const count of [pace.burst, pace.concurrency]) {
      expect(Number.isInteger(count)).toBe(true);
      expect(count).toBeGreaterThanOrEqual(1);
      expect(count).toBeLessThanOrEqual(100);
    }
    // The first window of a new stream is at most an hour long.
    expect(minWindow).toBeLessThanOrEqual(HOUR);
  },

  'it has the name of its folder and the address of its documentation': (platform) => {
    expect(platform.name).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
    expect(readFileSync(join(PLATFORMS, platform.name, 'index.ts'), 'utf8')).toContain(`name: '${platform.name}'`);
    expect(platform.title).toMatch(/\S/);
    expect(new URL(platform.docs).protocol).toBe('https:');
    expect(Object.keys(platform.kinds)).not.toEqual([]);
    expect(Object.keys(kinds)).toEqual(expect.arrayContaining(Object.keys(platform.kinds)));
  },

  'it imports nothing but the platform room, the core and its own folder': (platform) => {
    const own = join(PLATFORMS, platform.name);
    const strangers: string[] = [];
    for (const [file, names] of importsFrom(join(own, 'index.ts'))) {
      for (const name of names) {
        const target = relative(ROOT, resolve(dirname(file), name));
        const allowed = name.startsWith('.')
          ? /^src\/(?:core|platform)\//.test(target) || target.startsWith(`${relative(ROOT, own)}/`)
          : PACKAGES.has(name) || ALSO[platform.name]?.includes(name) === true;
        if (!allowed) strangers.push(`${relative(ROOT, file)} imports ${name}`);
      }
    }
    expect(strangers).toEqual([]);
  },
};

/** What a platform says of itself: README, sample, facts, imports. */
export const PAPER_RULES: SubjectRules = Object.fromEntries(
  Object.entries(RULES).map(([name, keeps]) => [name, async ({ platform }: Subject) => keeps(platform)]),
);
