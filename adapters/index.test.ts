import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseSource } from '../src/core/source/source.ts';
import { allPlatforms, platforms as listed } from './index.ts';
import { kinds } from './kinds.ts';

const platforms = await allPlatforms();

describe('kinds', () => {
  it('ask for exactly the fields the customer hands over', () => {
    const keys = (kind: keyof typeof kinds) => {
      const given = {
        url: 'https://h',
        authUrl: 'https://a',
        username: 'u',
        password: 'p',
        clientId: 'c',
        clientSecret: 's',
      };
      const issues = kinds[kind].safeParse(given).error?.issues ?? [];
      const refused = new Set(issues.flatMap((issue) => (issue.code === 'unrecognized_keys' ? issue.keys : [])));
      return Object.keys(given).filter((key) => !refused.has(key));
    };
    expect(keys('user-credentials')).toStrictEqual(['url', 'username', 'password']);
    expect(keys('client-credentials')).toStrictEqual(['url', 'clientId', 'clientSecret']);
    expect(keys('separate-auth-server')).toStrictEqual(['url', 'authUrl', 'clientId', 'clientSecret']);
    // The address of another server that gives the tokens is needed at some historians only.
    expect(keys('historian')).toStrictEqual(['url', 'authUrl', 'clientId', 'clientSecret']);
    const triple = { url: 'https://h', clientId: 'c', clientSecret: 's' };
    expect(kinds.historian.safeParse(triple).success).toBe(true);
  });

  it('custom takes an address and any text', () => {
    expect(kinds.custom.safeParse({ url: 'https://h', apiKey: 'k' }).success).toBe(true);
    expect(kinds.custom.safeParse({ apiKey: 'k' }).success).toBe(false);
    expect(kinds.custom.safeParse({ url: 'https://h', apiKey: 5 }).success).toBe(false);
  });
});

describe('platforms', () => {
  it.each(platforms.map(({ name }) => name))('%s has a simulator, from which its tests are generated', (name) => {
    expect(existsSync(join(import.meta.dirname, 'platforms', name, 'simulator.ts'))).toBe(true);
  });

  it.each(platforms.map(({ name }) => name))('%s has recorded cases', (name) => {
    const cases = join(import.meta.dirname, 'platforms', name, 'cases');
    expect(existsSync(cases) && readdirSync(cases).some((one) => existsSync(join(cases, one, 'expected.json')))).toBe(
      true,
    );
  });

  it('have the names under which the registry lists them, each once', () => {
    expect(platforms.map(({ name }) => name)).toEqual(listed.map(({ name }) => name));
    expect(new Set(platforms.map(({ name }) => name)).size).toBe(platforms.length);
  });

  it.each(platforms.map((platform) => [platform.name, platform] as const))(
    '%s has defaults that fit each other',
    (_, platform) => {
      const { facts } = platform;
      expect(Object.keys(platform.kinds).every((kind) => Object.hasOwn(kinds, kind))).toBe(true);
      expect(facts.minWindow).toBeGreaterThan(0);
      expect(facts.minWindow).toBeLessThanOrEqual(facts.maxWindow);
      expect(facts.overlap).toBeLessThanOrEqual(facts.maxWindow);
      // A source without its fields is refused for the missing fields, never for a default.
      const parsed = parseSource({ platform: platform.name, schedule: { every: '10s' } }, platforms, { kinds });
      expect(parsed.ok ? [] : parsed.problems.map(({ message }) => message)).not.toContainEqual(
        expect.not.stringMatching('is missing'),
      );
    },
  );
});
