import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { defineConfig } from 'vite';
import type { Plugin } from 'vite';

/** Files that are text, and so become smaller. */
const TEXTS = new Set(['.html', '.js', '.css', '.svg']);

/** Writes `x.br` beside each text, so that the bridge compresses nothing. */
const compressed = (): Plugin => ({
  name: 'compressed',
  apply: 'build',
  writeBundle({ dir = '' }) {
    for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      if (!entry.isFile() || !TEXTS.has(extname(path))) continue;
      const text = readFileSync(path);
      const params = {
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
        [constants.BROTLI_PARAM_QUALITY]: 11,
        [constants.BROTLI_PARAM_SIZE_HINT]: text.length,
      };
      writeFileSync(`${path}.br`, brotliCompressSync(text, { params }));
    }
  },
});

const LUCIDE = join(import.meta.dirname, '../node_modules/lucide/dist/esm');

/** The file of each icon, also by its former names. */
function iconFiles(): ReadonlyMap<string, string> {
  const index = readFileSync(join(LUCIDE, 'iconsAndAliases.mjs'), 'utf8');
  const lines = index.matchAll(/^export \{([^}]+)\} from '\.\/([^']+)'/gm);
  return new Map(
    [...lines].flatMap(([, names = '', file = '']) =>
      [...names.matchAll(/default as (\w+)/g)].map(([, name = '']) => [name, file] as const),
    ),
  );
}

/** Imports each icon from its own file: the index of lucide would have all 2,000 read. */
const icons = (files = iconFiles()): Plugin => ({
  name: 'icons',
  enforce: 'pre',
  transform(code, id) {
    if (!/\/console\/.*\.tsx?$/.test(id)) return undefined;
    const changed = code.replace(/^import \{([^}]+)\} from 'lucide';$/gm, (_, names: string) =>
      names
        .split(',')
        .map((name) => name.trim())
        .filter(Boolean)
        .map((name) => {
          const [icon = '', local = icon] = name.split(' as ');
          const file = files.get(icon);
          if (file === undefined) throw new Error(`${id}: lucide has no icon ${icon}`);
          return `import ${local} from ${JSON.stringify(`${LUCIDE.replaceAll('\\', '/')}/${file}`)};`;
        })
        .join('\n'),
    );
    return changed === code ? undefined : { code: changed, map: null };
  },
});

/** The address of the operator API that a page of `npm run dev` asks. */
const API = process.env['DATABRIDGE_OPERATOR_ADDRESS'] ?? 'http://127.0.0.1:8081';

export default defineConfig({
  root: import.meta.dirname,
  base: '/',
  // The page's own address stands in Host and Origin, which the API compares.
  server: { port: 8082, strictPort: true, proxy: { '/api': { target: API, changeOrigin: false } } },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    emptyOutDir: true,
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // Loaded with an editor, or where a form and its text follow each other.
            { name: 'yaml-parser', priority: 3, test: /\/node_modules\/yaml\// },
            // Packed together, small files take less than each by itself.
            {
              name: 'parts',
              priority: 2,
              test: /\/preact\/|\/console\/(?:client|frame|parts\/(?!heat-map|line-chart|code-editor|yaml-editor)|texts)/,
            },
            { name: 'sources', priority: 1, test: /\/console\/(?:register|source|sources|trial)\// },
            {
              name: 'lists',
              priority: 1,
              test: /\/console\/(?:account|alerts|applications|audit|backfills|delivery|operators|overview|projects|refusals)\//,
            },
          ],
        },
      },
    },
  },
  plugins: [icons(), compressed()],
});
