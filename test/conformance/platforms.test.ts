import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { platforms } from '../../adapters/index.ts';
import { conformanceRules } from './kit/rules.ts';
import { PLATFORMS, subjects } from './kit/subject.ts';
import { WAIVERS } from './waivers.ts';

const all = subjects();

it('every folder with an adapter is registered, and every registered platform has a folder', () => {
  const folders = readdirSync(PLATFORMS).filter((name) => existsSync(join(PLATFORMS, name, 'index.ts')));
  expect(platforms.map(({ name }) => name).toSorted()).toEqual(folders.toSorted());
});

it('every waiver names a platform, a rule and a fact that exist, with a reason', () => {
  for (const [name, waived] of Object.entries(WAIVERS)) {
    const subject = all.find(({ platform }) => platform.name === name);
    if (subject === undefined) throw new Error(`no platform ${name}`);
    for (const [rule, { because, fact }] of Object.entries(waived)) {
      expect(Object.keys(conformanceRules(subject)), name).toContain(rule);
      expect(Object.keys(subject.platform.facts), rule).toContain(fact);
      expect(because, rule).toMatch(/\w+ \w+ \w+/);
    }
  }
});

describe.each(all.map((subject) => [subject.platform.name, subject] as const))('%s', (name, subject) => {
  it.each(Object.entries(conformanceRules(subject)))('%s', async (rule, keeps) => {
    const waiver = WAIVERS[name]?.[rule];
    if (waiver === undefined) return await keeps(subject);
    const kept = await keeps(subject).then(
      () => true,
      () => false,
    );
    if (kept) throw new Error(`the platform keeps this rule now: take the waiver out (${waiver.because})`);
  });
});
