import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { format } from 'oxfmt';
import { allPlatforms } from '../adapters/index.ts';
import { kinds } from '../adapters/kinds.ts';
import { sourceJsonSchema } from '../src/core/source/json-schema.ts';
import { optionTable } from '../src/core/source/option-table.ts';
import { describeSettings } from '../src/settings.ts';
import { consoleTypes } from './console-types.ts';

/**
 * Writes the parts that are generated from the schemas: `config/source.schema.json`, with which editors check sources, and,
 * between their markers, the table of options in the README of each platform and the table of settings in `docs/settings.md`.
 * `adapters/simulators.ts` lists the simulator of each platform in the registry.
 * `console/client/operations.ts` has the operations of the operator API with their types.
 * With `--check` it writes nothing, names stale files, and exits with 1 where a file is stale.
 */

const END = '<!-- /generated -->';

const root = new URL('../', import.meta.url);
const check = process.argv.includes('--check');
let failures = 0;

const platforms = await allPlatforms();

function fail(file: string, message: string): void {
  failures += 1;
  console.error(`${file}: ${message}`);
}

async function writeOrCheck(file: string, before: string | undefined, after: string): Promise<void> {
  if (before === after) return;
  if (check) {
    fail(file, 'is stale; run "npm run generate"');
    return;
  }
  await writeFile(new URL(file, root), after);
  console.log(`${file}: written`);
}

const read = (file: string): Promise<string | undefined> =>
  readFile(fileURLToPath(new URL(file, root)), 'utf8').catch(() => undefined);

const schema = 'config/source.schema.json';
await writeOrCheck(schema, await read(schema), `${JSON.stringify(sourceJsonSchema(platforms, kinds), undefined, 2)}\n`);

/** `PiWebApi` */
const pascal = (name: string): string => name.replaceAll(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());

const simulators = 'adapters/simulators.ts';
const products = platforms.map(({ name }) => ({ name, product: `simulated${pascal(name)}` }));
await writeOrCheck(
  simulators,
  await read(simulators),
  `// Generated from the registry by \`npm run generate\`.
import type { SimulatedProduct } from '../src/simulator/contract.ts';
${products.map(({ name, product }) => `import { ${product} } from './platforms/${name}/simulator.ts';`).join('\n')}

/** The simulator of each platform in the registry, in its order. */
export const simulators: readonly SimulatedProduct[] = [
${products.map(({ product }) => `  ${product},`).join('\n')}
];
`,
);

/** Puts a generated text between its two markers. */
async function fill(file: string, name: string, text: string): Promise<void> {
  const begins = `<!-- generated: ${name} -->`;
  const before = await read(file);
  const begin = before?.indexOf(begins) ?? -1;
  const end = before?.indexOf(END, begin) ?? -1;
  if (before === undefined) fail(file, 'does not exist');
  else if (begin < 0 || end < 0) fail(file, `has no place for the ${name}: put ${begins} and ${END} into it`);
  else await writeOrCheck(file, before, `${before.slice(0, begin + begins.length)}\n\n${text}\n\n${before.slice(end)}`);
}

for (const platform of platforms) {
  await fill(`adapters/platforms/${platform.name}/README.md`, 'options', optionTable(platform));
}

const settings = describeSettings().map(
  ({ name, fallback, meaning }) => `| \`${name}\` | ${fallback && `\`${fallback}\``} | ${meaning} |`,
);
await fill(
  'docs/settings.md',
  'settings',
  ['| setting | default | meaning |', '|---|---|---|', ...settings].join('\n'),
);

const operations = 'console/client/operations.ts';
const style = JSON.parse((await read('.oxfmtrc.json')) ?? '{}') as Parameters<typeof format>[2];
await writeOrCheck(operations, await read(operations), (await format(operations, await consoleTypes(), style)).code);

process.exitCode = failures === 0 ? 0 : 1;
