import { expect, test } from 'vitest';
import { z } from 'zod';
import { secret, text } from '../core/source/fields.ts';
import type { Registry } from '../platform/contract.ts';
import { shownConfig } from './shown-config.ts';

const registry = {
  kinds: { 'user-credentials': z.strictObject({ username: text('u'), password: secret('p') }) },
  platforms: [
    { name: 'historian', options: z.strictObject({ tag: z.string().optional(), token: secret('t').optional() }) },
  ],
} as unknown as Registry;

const stored = {
  kind: 'user-credentials',
  connection: { password: { $sealed: 'eyJhbGciOiJkaXIi' }, username: 'bridge' },
  platform: 'historian',
  options: { token: '${env:TOKEN}', tag: 'flow' },
  name: 'hall-3',
};

test('sealed values are hidden, references are shown, and the order is the one people write', () => {
  const shown = shownConfig(stored, registry) as Record<string, unknown>;
  expect(shown).toEqual({
    name: 'hall-3',
    kind: 'user-credentials',
    platform: 'historian',
    connection: { password: '(secret)', username: 'bridge' },
    options: { token: '${env:TOKEN}', tag: 'flow' },
  });
  expect(Object.keys(shown)).toEqual(['name', 'kind', 'platform', 'connection', 'options']);
});

test('what was stored in clear and is a secret today is hidden, and so is what nobody vouches for', () => {
  const clear = {
    ...stored,
    options: { token: 'geheim' },
    connection: { password: 'geheim', pin: 7, username: 'bridge' },
  };
  expect(shownConfig(clear, registry)).toMatchObject({
    options: { token: '(secret)' },
    connection: { password: '(secret)', pin: '(secret)', username: 'bridge' },
  });
  const unknown = JSON.stringify(shownConfig({ ...clear, kind: 'gone', platform: 'gone' }, registry));
  expect(unknown).not.toMatch(/geheim|bridge/);
});
