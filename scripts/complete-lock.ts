import { readFileSync, writeFileSync } from 'node:fs';

/**
 * Adds to package-lock.json the optional packages of other platforms that npm left out. Where a registry does not serve
 * them, `npm install` writes a lock that `npm ci` then refuses. Run it after every `npm install` (`npm run lock`). The
 * entries have no integrity, because npm does not install them where it could not resolve them.
 */
interface Entry {
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly dev?: boolean;
}

const file = new URL('../package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(file, 'utf8')) as { packages: Record<string, Entry & Record<string, unknown>> };
const { packages } = lock;

const SYSTEMS = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32'];
const PROCESSORS = ['arm', 'arm64', 'ia32', 'loong64', 'ppc64', 'riscv64', 's390x', 'wasm32', 'x64'];

/** Whether Node finds a package from another package: in its own node_modules, then in those further up. */
function isFound(from: string, name: string): boolean {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    if (packages[at === '' ? `node_modules/${name}` : `${at}/node_modules/${name}`] !== undefined) return true;
    if (at === '') return false;
    if (!at.includes('/node_modules/')) at = '';
  }
}

let added = 0;
for (const [path, entry] of Object.entries(packages)) {
  for (const [name, version] of path === '' ? [] : Object.entries(entry.optionalDependencies ?? {})) {
    if (isFound(path, name)) continue;
    const words = (name.split('/').pop() ?? '').split('-');
    const os = SYSTEMS.filter((system) => words.includes(system));
    const cpu = PROCESSORS.filter((processor) => words.includes(processor));
    packages[`node_modules/${name}`] = {
      version: version.replace(/^[\^~]/, ''),
      ...(cpu.length > 0 && { cpu }),
      ...(entry.dev && { dev: true }),
      optional: true,
      ...(os.length > 0 && { os }),
    };
    added += 1;
  }
}
const names = Object.keys(packages).toSorted((one, other) => one.localeCompare(other, 'en'));
lock.packages = Object.fromEntries(names.map((name) => [name, packages[name] as Entry & Record<string, unknown>]));
writeFileSync(file, `${JSON.stringify(lock, undefined, 2)}\n`);
console.log(`package-lock.json: ${added} packages of other platforms added`);
