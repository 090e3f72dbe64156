import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** A place that `npm run new-platform` made and that the author has not written. */
interface Unwritten {
  readonly step: number;
  /** File and line, from the root of the repository on. */
  readonly place: string;
  readonly what: string;
}

/** A mark in a comment, in an error that is thrown, in JSON or in Markdown. */
const MARK = /WRITE (\d): (.+?)(?: -->|'\);|"(?:,| .*)?)?$/;

/** Everything that a platform still lacks, in the order of the steps of adapters/README.md. */
export function unwrittenOf(root: string, name: string): Unwritten[] {
  const folder = join(root, 'adapters/platforms', name);
  const marked = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .toSorted()
    .flatMap((file) =>
      readFileSync(join(root, file), 'utf8')
        .split('\n')
        .flatMap((line, index) => {
          const [, step, what = ''] = MARK.exec(line) ?? [];
          return step === undefined ? [] : [{ step: Number(step), place: `${file}:${index + 1}`, what }];
        }),
    );
  const isListed = readFileSync(join(root, 'README.md'), 'utf8').includes(`](adapters/platforms/${name}/README.md)`);
  const row = {
    step: 6,
    place: 'README.md',
    what: `add ${name} to the table of platforms, with its kinds and how it is proved`,
  };
  return [...marked, ...(isListed ? [] : [row])].toSorted((one, other) => one.step - other.step);
}

/** The places in words: the next one, then all others. */
export function unwrittenInWords([next, ...others]: readonly Unwritten[]): string {
  if (next === undefined) return '';
  const words = ({ step, place, what }: Unwritten): string => `${place}: ${what} (step ${step})`;
  return [`write next, see adapters/README.md: ${words(next)}`, ...others.map((one) => `then ${words(one)}`)].join(
    '\n',
  );
}
