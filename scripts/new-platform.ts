import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Makes the folder of a new platform from `scripts/templates/platform`, with its line in the registry and its generated files:
 *
 *   npm run new-platform NAME
 *
 * `npm run check` then fails, and names each place that is still to be written, in the order of adapters/README.md.
 * Exit code 2: the name cannot be taken.
 */

const PLATFORMS = 'adapters/platforms';
const REGISTRY = 'adapters/index.ts';

/** Words that no constant can have as its name, kinds of credentials, and names that the registry and the tests use. */
const RESERVED = new Set(
  (
    'arguments await break case catch class const continue debugger default delete do else enum eval export extends false ' +
    'finally for function if implements import in instanceof interface let new null package private protected public return ' +
    'static super switch this throw true try typeof undefined var void while with yield ' +
    'user-credentials client-credentials separate-auth-server historian custom kinds platforms reference new-platform'
  ).split(' '),
);

/** Why a platform cannot have this name in the repository at `root`; undefined where it can. */
export function refusalOf(root: string, name: string): string | undefined {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name) || name.length > 40)
    return 'is not kebab-case: use at most 40 small letters and digits, in words with a hyphen between them, like pi-web-api';
  if (existsSync(join(root, PLATFORMS, name))) return `exists already: see ${PLATFORMS}/${name}`;
  if (RESERVED.has(name)) return 'is reserved: use the name of the product';
  const place = placeOf(root, `export (?:async )?(?:const|function\\*?|class|type|interface) ${camel(name)}\\b`);
  return place && `would give an export the name of one in ${place}: add the name of the vendor`;
}

/** The first source file with a line that matches. */
const placeOf = (root: string, line: string): string | undefined =>
  ['src', 'adapters']
    .flatMap((room) =>
      readdirSync(join(root, room), { recursive: true, encoding: 'utf8' }).map((path) => join(room, path)),
    )
    .find((path) => path.endsWith('.ts') && new RegExp(`^${line}`, 'm').test(readFileSync(join(root, path), 'utf8')));

/** Makes the platform in the repository at `root`, which holds `node_modules`, too. Throws for a name that cannot be taken. */
export function makePlatform(root: string, name: string): void {
  const refusal = refusalOf(root, name);
  if (refusal !== undefined) throw new Error(`${name} ${refusal}`);
  const folder = join(root, PLATFORMS, name);
  cpSync(join(root, 'scripts/templates/platform'), folder, { recursive: true });
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    if (entry.isFile()) writeFileSync(file, named(readFileSync(file, 'utf8'), name));
  }
  const registry = join(root, REGISTRY);
  writeFileSync(registry, registered(readFileSync(registry, 'utf8'), name));
  // A long name makes long lines.
  run(root, 'node_modules/oxfmt/bin/oxfmt', folder, registry);
  run(root, 'scripts/generate.ts');
}

function run(root: string, script: string, ...more: string[]): void {
  const { status, stderr } = spawnSync(process.execPath, [script, ...more], { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${script}: exit ${status}\n${stderr}`);
}

const wordsOf = (name: string): string[] => name.split('-').map((word) => word[0]?.toUpperCase() + word.slice(1));
const pascal = (name: string): string => wordsOf(name).join('');
const camel = (name: string): string => name[0] + pascal(name).slice(1);

/** A template in the words of the platform. */
const named = (text: string, name: string): string =>
  text
    .replaceAll('new-platform', name)
    .replaceAll('NEW_PLATFORM', name.replaceAll('-', '_').toUpperCase())
    .replaceAll('newPlatform', camel(name))
    .replaceAll('NewPlatform', pascal(name))
    .replaceAll('New Platform', wordsOf(name).join(' '));

/** The registry with the line of the platform, in the order of names. */
function registered(text: string, name: string): string {
  const line = `  { name: '${name}', load: async () => (await import('./platforms/${name}/index.ts')).${camel(name)} },\n`;
  const known = [...text.matchAll(/^ {2}\{\s+name: '([\w-]+)',/gm)];
  const end = /^\];$/m.exec(text)?.index;
  if (known.length === 0 || end === undefined) throw new Error(`${REGISTRY} lists no platform`);
  const place = known.find(([, other = '']) => other > name)?.index ?? end;
  return text.slice(0, place) + line + text.slice(place);
}

if (import.meta.main) {
  const [name, ...more] = process.argv.slice(2);
  const root = join(import.meta.dirname, '..');
  const refusal = name === undefined || more.length > 0 ? undefined : refusalOf(root, name);
  if (name === undefined || more.length > 0 || refusal !== undefined) {
    console.error(refusal === undefined ? 'usage: npm run new-platform NAME, like pi-web-api' : `${name} ${refusal}`);
    process.exitCode = 2;
  } else {
    makePlatform(root, name);
    console.log(`${PLATFORMS}/${name} is there, and ${REGISTRY} has its line.

next:
  1. Read adapters/README.md. It has six steps, and the new files name the step at each place that is still to be written.
  2. npm run check    names these places in the order of the steps; it passes when nothing is left to write.
  3. npx vitest run --config test/vitest.config.ts test/conformance/platforms.test.ts -t ${name}
                      runs the tests of the platform.
To remove it, delete the folder and its line in ${REGISTRY}, then run npm run generate.`);
  }
}
