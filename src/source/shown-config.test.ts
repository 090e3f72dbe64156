import { expect, test } from 'vitest';
import { z } from 'zod';
import { secret, text } from '../core/source/fields.ts';
import type { Registry } from '../platform/registry.ts';
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

test('sealed values are hidden, references are shown, and the fields come in the order in which operators write them', async () => {
  const shown = (await shownConfig(stored, registry)) as Record<string, unknown>;
  expect(shown).toEqual({
    name: 'hall-3',
    kind: 'user-credentials',
    platform: 'historian',
    connection: { password: '(secret)', username: 'bridge' },
    options: { token: '${env:TOKEN}', tag: 'flow' },
  });
  expect(Object.keys(shown)).toEqual(['name', 'kind', 'platform', 'connection', 'options']);
});

test('a secret that was stored in clear is hidden, and so is every field that no present schema knows', async () => {
  const clear = {
    ...stored,
    options: { token: 'geheim' },
    connection: { password: 'geheim', pin: 7, username: 'bridge' },
  };
  expect(await shownConfig(clear, registry)).toMatchObject({
    options: { token: '(secret)' },
    connection: { password: '(secret)', pin: '(secret)', username: 'bridge' },
  });
  const unknown = JSON.stringify(await shownConfig({ ...clear, kind: 'gone', platform: 'gone' }, registry));
  expect(unknown).not.toMatch(/geheim|bridge/);
});
