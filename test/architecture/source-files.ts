import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');

/** A source file, not a test, with the files of this repository that it imports (types included). Paths start at the root. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
  readonly imports: readonly string[];
}

const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*['"](\.[^'"]+)['"]/g;

/** Every source file below the given folders of the repository. */
export function sourceFiles(...folders: readonly string[]): SourceFile[] {
  return folders
    .flatMap((folder) => readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !entry.name.endsWith('.test.ts'))
    .map((entry) => {
      const file = join(entry.parentPath, entry.name);
      const text = readFileSync(file, 'utf8');
      const imports = [...text.matchAll(IMPORT)]
        .map(([, path = '']) => relative(ROOT, resolve(dirname(file), path)))
        // The console imports styles and pictures, too.
        .filter((path) => /\.[jt]sx?$/.test(path));
      return { path: relative(ROOT, file), text, imports };
    });
}

/** Folders that hold no page of this repository. */
const FOREIGN = /^(?:node_modules|dist|\..+)$/;

/** Every Markdown page of the repository. Paths start at the root. */
export function markdownPages(folder = ''): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true })
    .filter((entry) => !FOREIGN.test(entry.name))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return markdownPages(path);
      return entry.name.endsWith('.md') ? [path] : [];
    });
}

/** The rooms of the console besides its pages. */
const CONSOLE = new Set(['client', 'frame', 'parts', 'texts.ts', 'trial']);

/**
 * `adapters`, a folder of `src`, or a file of `src` up to its first hyphen: `settings-api.ts` belongs to `settings`. The console has rooms
 * of its own, of which all pages together are one.
 */
export function roomOf(path: string): string {
  const [top = '', next = '', ...below] = path.split('/');
  if (top === 'console') return consoleRoomOf(next);
  if (top !== 'src') return top;
  return below.length > 0 ? next : next.replace(/[-.].*$/, '');
}

function consoleRoomOf(name: string): string {
  if (name === 'main.tsx') return 'console/frame';
  return `console/${CONSOLE.has(name) ? name.replace('.ts', '') : 'pages'}`;
}
