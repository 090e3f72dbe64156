import { readFileSync, readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { BACKED_UP, LEFT_OUT } from './tables.ts';

it('names every table that the migrations make', () => {
  const directory = new URL('../migrations/', import.meta.url);
  const made = readdirSync(directory).flatMap((file) =>
    [...readFileSync(new URL(file, directory), 'utf8').matchAll(/^create (?:unlogged )?table (\w+)/gim)].map(
      ([, name = '']) => name,
    ),
  );
  expect([...BACKED_UP, ...LEFT_OUT].toSorted()).toEqual(made.toSorted());
});
