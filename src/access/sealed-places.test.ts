import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

it('covers every file that seals a value', () => {
  const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).filter((path) =>
    /(?<!\.test)\.ts$/.test(path),
  );
  const sealing = files.filter((path) =>
    /\b(?:sealing\.seal|sealWith)\(/.test(readFileSync(join(ROOT, 'src', path), 'utf8')),
  );
  // A new file here: give the column that it fills to SEALED, and let storeEverything of the test of the rotation fill it.
  expect(sealing.toSorted()).toEqual([
    'access/key-rotation.ts',
    'access/sealed-config.ts',
    'access/sealing.ts',
    'access/shared-grant.ts',
    'access/stored-sealing.ts',
    'access/stored-signing-keys.ts',
    'delivery/remote.ts',
  ]);
});
