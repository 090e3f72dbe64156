import { expect, it } from 'vitest';
import type { AuditEntry } from '../access/audit.ts';
import { auditFile } from './audit.ts';

const AT_ONCE = 2;

/** The ids of the lines of a file over a log of so many entries; of another line its action and subject. */
async function linesOf(entries: number, most: number, begin?: number): Promise<unknown[]> {
  const read = (before = entries + 1): Promise<AuditEntry[]> =>
    Promise.resolve(
      Array.from({ length: Math.min(AT_ONCE, before - 1) }, (_, place) => ({
        id: before - 1 - place,
        at: 0,
        actor: 'test',
        action: 'a',
        subject: 's',
        detail: null,
      })),
    );
  const { signal } = new AbortController();
  let text = '';
  for await (const part of auditFile(read, { format: 'jsonl', begin, most, signal })) text += part;
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: number; action: string; subject: string })
    .map(({ id, action, subject }) => (action === 'a' ? id : `${action} ${subject}`));
}

it('a file of the audit says that it was cut, and another one goes on behind it', async () => {
  expect(await linesOf(7, 4)).toEqual([7, 6, 5, 4, 'export.cut 4']);
  expect(await linesOf(7, 4, 4)).toEqual([3, 2, 1]);
  expect(await linesOf(4, 4)).toEqual([4, 3, 2, 1]);
});
