import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { CompactEncrypt } from 'jose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openKeys } from './keys.ts';
import { kidOf, openWith, sealWith } from './sealing.ts';
import { openSealing } from '../../test/kit/sealing.ts';

let home = '';

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'databridge-sealing-'));
});

afterEach(async () => {
  await rm(home, { recursive: true });
});

const keyFile = (): string => join(home, 'sealing.key');

describe('a sealed secret', () => {
  it('opens to the same text, and is sealed differently each time', async () => {
    const sealing = await openSealing(home, undefined);
    const secret = 'Grüße\u0000 "x"';
    const [one, other] = [await sealing.seal(secret), await sealing.seal(secret)];
    expect(one).not.toBe(other);
    const parts = one.split('.').map((part) => Buffer.from(part, 'base64url').toString('utf8'));
    expect([one, ...parts].join(' ')).not.toContain('Grüße');
    expect(await sealing.open(one)).toBe(secret);
    expect(await sealing.open(other)).toBe(secret);
  });

  it('does not open with another key or after a change, and the error has a remedy', async () => {
    const sealed = await (await openSealing(home, 'A'.repeat(43))).seal('x');
    const other = await openSealing(home, `${'B'.repeat(42)}A=`);
    await expect(other.open(sealed)).rejects.toMatchObject({
      code: 'config-invalid',
      remedy: expect.stringContaining('DATABRIDGE_KEY'),
    });
    const changed = sealed.replace(/.$/, (last) => (last === 'A' ? 'Q' : 'A'));
    await expect((await openSealing(home, 'A'.repeat(43))).open(changed)).rejects.toMatchObject({
      code: 'config-invalid',
    });
  });

  it('opens with the same key in base64 or base64url, padded or not', async () => {
    const bytes = Buffer.alloc(32, 0xfb);
    const sealed = await (await openSealing(home, bytes.toString('base64'))).seal('x');
    for (const text of [bytes.toString('base64url'), bytes.toString('base64').replace('=', '')]) {
      expect(await (await openSealing(home, text)).open(sealed)).toBe('x');
    }
  });
});

describe('the key file', () => {
  it('is made once by calls at the same time, and only its owner may read it', async () => {
    const all = await Promise.all(Array.from({ length: 8 }, () => openSealing(join(home, 'new'), undefined)));
    const sealed = await Promise.all(all.map((sealing) => sealing.seal('x')));
    for (const sealing of all) for (const text of sealed) expect(await sealing.open(text)).toBe('x');
    expect((await stat(join(home, 'new', 'sealing.key'))).mode & 0o777).toBe(0o600);
  });

  it('is the same at the next start', async () => {
    const sealed = await (await openSealing(home, undefined)).seal('x');
    expect(await (await openSealing(home, undefined)).open(sealed)).toBe('x');
  });

  it.each(['', 'not base64 at all, and of some length, yes, !'])(
    'is neither used nor replaced where it holds %j',
    async (content) => {
      await writeFile(keyFile(), content);
      await expect(openSealing(home, undefined)).rejects.toMatchObject({
        code: 'config-invalid',
        remedy: expect.stringContaining('backup'),
      });
      expect(await readFile(keyFile(), 'utf8')).toBe(content);
    },
  );
});

describe('several keys', () => {
  const text = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes).toString('base64url'));

  it('open exactly what one of them sealed, with and without an id', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(text, { minLength: 2, maxLength: 5 }),
        fc.nat(),
        fc.array(fc.boolean(), { minLength: 5, maxLength: 5 }),
        fc.boolean(),
        async (all, sealer, chosen, named) => {
          const by = all[sealer % all.length] as string;
          const [key] = (await openKeys({ home: join(home, 'none'), sealingKey: by })).all();
          if (key === undefined) return expect.fail('there is no key');
          const protectedHeader = { alg: 'dir', enc: 'A256GCM' } as const;
          const sealed = named
            ? await sealWith(key, 'x')
            : await new CompactEncrypt(Buffer.from('x')).setProtectedHeader(protectedHeader).encrypt(key.bytes);
          const [present, ...previous] = all.filter((_, index) => chosen[index]);
          if (present === undefined) return;
          const keys = await openKeys({ home: join(home, 'none'), sealingKey: present, previousKeys: previous });
          expect(keys.all().length).toBe(previous.length + 1);
          expect(kidOf(sealed)).toBe(named ? key.kid : undefined);
          const opened = openWith(keys, sealed);
          if ([present, ...previous].includes(by)) expect(await opened).toBe('x');
          else await expect(opened).rejects.toMatchObject({ code: 'config-invalid' });
        },
      ),
      { numRuns: 60 },
    );
  });

  it('may stand in files, of which a missing or wrong one is told', async () => {
    const file = join(home, 'given');
    await writeFile(file, `${'C'.repeat(43)}=\n`);
    const [key] = (await openKeys({ home: join(home, 'none'), sealingKey: 'C'.repeat(43) })).all();
    const keys = await openKeys({ home, sealingKey: 'A'.repeat(43), previousKeys: [`\${file:${file}}`] });
    expect(keys.all()[1]).toMatchObject({ kid: key?.kid, place: file });
    await writeFile(file, 'no key');
    await expect(openKeys({ home, sealingKey: `\${file:${file}}` })).rejects.toThrow('does not hold a key');
    await rm(file);
    await expect(openKeys({ home, sealingKey: `\${file:${file}}` })).rejects.toThrow('does not exist');
  });
});
