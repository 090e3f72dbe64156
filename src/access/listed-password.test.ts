import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isListedPassword } from './listed-password.ts';

let directory: string;
let file: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'databridge-list-'));
  file = join(directory, 'list.txt');
  writeFileSync(file, `first of them\r\n${'a line of the list\n'.repeat(20_000)}Stäple of horses\nlast without an end`);
});

afterAll(() => rmSync(directory, { recursive: true }));

describe('a list of passwords', () => {
  it.each(['first of them', 'a line of the list', 'STÄPLE OF HORSES', 'Sta\u0308ple of horses', 'last without an end'])(
    'has %s',
    async (password) => {
      expect(await isListedPassword(password, file)).toBe(true);
    },
  );

  it('has no part of a line, and nothing besides its lines', async () => {
    for (const password of [
      'a line of the',
      'line of the list',
      'another horse in a stable',
      'last without an end\n',
    ]) {
      expect(await isListedPassword(password, file)).toBe(false);
    }
  });

  it('that cannot be read lets no password pass', async () => {
    for (const wrong of [join(directory, 'none.txt'), directory]) {
      await expect(isListedPassword('another horse in a stable', wrong)).rejects.toMatchObject({
        code: 'config-invalid',
        remedy: expect.stringContaining('DATABRIDGE_PASSWORD_LIST') as string,
      });
    }
  });
});
