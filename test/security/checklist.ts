import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { LEVELS } from './requirements.ts';
import { titlesIn } from './titles.ts';

const ROOT = join(import.meta.dirname, '../..');

const text = z.string().trim().min(1);

const entrySchema = z
  .strictObject({
    id: text,
    level: z.union([z.literal(1), z.literal(2)]),
    /** The requirement for this bridge, in a few words of ours. */
    words: text,
    /** Tests that show it: file, groups and title, separated by ` > `. */
    shown: z.union([text.transform((one) => [one]), z.array(text).min(1)]).optional(),
    /** It holds only under this setting. */
    when: text.optional(),
    /** What is missing. */
    open: text.optional(),
    /** The reason why it does not apply. */
    not: text.optional(),
  })
  .refine(({ shown, open, not }) => shown !== undefined || open !== undefined || not !== undefined, 'says nothing')
  .refine(({ shown, open, when, not }) => not === undefined || (shown ?? open ?? when) === undefined, 'applies or not');

/** One requirement, and how the bridge stands to it. */
export type Entry = z.infer<typeof entrySchema>;

export type State = 'holds' | 'open' | 'not';

/** An entry that names a test may be open all the same: then the test shows a part of it. */
export const stateOf = ({ open, not }: Pick<Entry, 'open' | 'not'>): State =>
  not !== undefined ? 'not' : open !== undefined ? 'open' : 'holds';

/** The entries of all files of the checklist, as they are written. */
export const writtenChecklist = (): unknown[] =>
  readdirSync(import.meta.dirname)
    .filter((name) => /^asvs-.*\.yaml$/.test(name))
    .flatMap((name) => parse(readFileSync(join(import.meta.dirname, name), 'utf8')) as unknown[]);

const nameOf = (entry: unknown): string => (entry as { id?: string } | null)?.id ?? 'an entry without id';

/** What is wrong with a checklist, one sentence each: its form, its numbers, and tests that do not exist. */
export function faultsOf(written: readonly unknown[]): string[] {
  const faults: string[] = [];
  const entries = written.flatMap((one) => {
    const parsed = entrySchema.safeParse(one);
    if (parsed.success) return [parsed.data];
    for (const { path, message } of parsed.error.issues) faults.push(`${nameOf(one)}: ${path.join('.')}: ${message}`);
    return [];
  });
  const wanted = new Map<string, number>(
    Object.entries(LEVELS).flatMap(([section, levels]) =>
      levels
        .split('')
        .flatMap((level, index) => (level === '3' ? [] : [[`${section}.${index + 1}`, Number(level)] as const])),
    ),
  );
  const seen = new Set<string>();
  for (const { id, level, shown = [] } of entries) {
    if (seen.has(id)) faults.push(`${id}: stands twice`);
    seen.add(id);
    if (wanted.get(id) !== level) faults.push(`${id}: is no requirement of level ${level}`);
    for (const test of shown) if (!isTest(test)) faults.push(`${id}: there is no test ${test}`);
  }
  for (const id of wanted.keys()) if (!seen.has(id)) faults.push(`${id}: is missing`);
  return faults;
}

const titlesByFile = new Map<string, ReadonlySet<string>>();

function isTest(reference: string): boolean {
  const [file = '', ...title] = reference.split(' > ');
  let titles = titlesByFile.get(file);
  if (titles === undefined) {
    const path = join(ROOT, file);
    titles = new Set(existsSync(path) && file.endsWith('.test.ts') ? titlesIn(readFileSync(path, 'utf8')) : []);
    titlesByFile.set(file, titles);
  }
  return titles.has(title.join(' > '));
}

/** The counts of a checklist as a sentence, and its open entries. */
export function summaryOf(entries: readonly Entry[]): { readonly counts: string; readonly open: readonly Entry[] } {
  const by = Object.groupBy(entries, stateOf);
  const [holds, open] = [by.holds ?? [], by.open ?? []];
  const apply = holds.length + open.length;
  const share = Math.round((100 * holds.length) / apply);
  const conditional = holds.filter(({ when }) => when !== undefined).length;
  return {
    counts: `${apply} of ${entries.length} requirements apply: ${holds.length} hold with a test (${share} %; ${conditional} of them under a setting), ${open.length} are open`,
    open,
  };
}
