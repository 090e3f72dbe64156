import { createHash } from 'node:crypto';
import { readFile, realpath } from 'node:fs/promises';
import { registerHooks } from 'node:module';
import { extname, join, relative, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { configInvalid } from './core/errors.ts';
import type { BridgeError } from './core/errors.ts';
import type { Adapters } from './platform/registry.ts';
import type { Platform } from './platform/contract.ts';

/** An adapter of a source: a file below the directory that the operator allows, or a package in its `node_modules`. */
interface Found {
  /** As it is stored: `./my-platform.ts#…` with the SHA-256 of the file, or `package@version`. */
  readonly reference: string;
  /** What Node.js imports. */
  readonly specifier: string;
}

const isPath = (adapter: string): boolean => /^(?:\.{0,2}\/|[A-Za-z]:\\)/.test(adapter);

const PACKAGE = /^((?:@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*)(?:@([\w.+-]+))?$/;

/** The platforms that were loaded, by directory and reference: a process keeps the code that it has. */
const loaded = new Map<string, Promise<Platform>>();

/** The reference of what a process has imported: of a package, Node.js keeps the version that came first. */
const running = new Map<string, string>();

/**
 * The adapters in the directory from which the operator of the bridge allows code. A source file names one by its path, relative
 * to that file, or by the name of a package. Each host has its own copy of the directory.
 */
export function adaptersIn(directory: string): Adapters<Platform> {
  return {
    async pin(adapter, from) {
      const root = await rootOf(directory);
      if (!isPath(adapter)) return (await packageIn(root, adapter)).reference;
      return (await fileIn(root, resolve(from, adapter), adapter)).reference;
    },
    async load(reference) {
      const known = `${directory}\n${reference}`;
      const platform = loaded.get(known) ?? opened(directory, reference);
      loaded.set(known, platform);
      return await platform.catch((error: unknown) => {
        loaded.delete(known);
        throw error;
      });
    },
  };
}

async function opened(directory: string, reference: string): Promise<Platform> {
  const root = await rootOf(directory);
  const [path = ''] = reference.split('#');
  const found = isPath(reference) ? await fileIn(root, join(root, path), path) : await packageIn(root, reference);
  if (found.reference !== reference)
    throw wrong(
      `the adapter ${path} on this host is another version than the one that was applied`,
      'put the same version on every host, and apply the source again',
    );
  const before = running.get(found.specifier) ?? reference;
  running.set(found.specifier, before);
  if (before !== reference)
    throw wrong(`this process runs ${before}, not ${reference}`, 'restart the bridge on this host');
  provideContract();
  try {
    const { definedPlatform } = await import('./platform/definition.ts');
    return definedPlatform(await import(found.specifier), path);
  } catch (cause) {
    if (cause instanceof Error && cause.name === 'BridgeError') throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw wrong(
      `the adapter ${path} cannot be loaded: ${reason}`,
      `mend it until "node ${path}" ends without an error`,
    );
  }
}

async function rootOf(directory: string): Promise<string> {
  return await realpath(directory).catch(() => {
    throw wrong(
      `there is no directory ${directory}`,
      'set DATABRIDGE_ADAPTERS to the directory that holds the adapters',
    );
  });
}

/** A file is one version: its digest would not show that another file, which it imports, has changed. */
async function fileIn(root: string, file: string, named: string): Promise<Found> {
  const real = await realpath(file).catch(() => {
    throw wrong(`there is no adapter ${named} on this host`, `put it below ${root} on every host`);
  });
  if (!real.startsWith(root + sep))
    throw wrong(
      `the adapter ${named} is outside of the directory from which this bridge may load code`,
      `put it below ${root}; only the operator of the bridge decides which directory that is (DATABRIDGE_ADAPTERS)`,
    );
  const text = await readFile(real, 'utf8');
  if (/(?:\bfrom|\bimport)\s*\(?\s*['"]\.{1,2}\//.test(text))
    throw wrong(`the adapter ${named} imports another file`, 'write it as one file, or as an npm package');
  const digest = createHash('sha256').update(text).digest('hex');
  const path = relative(root, real).replaceAll(sep, '/');
  return { reference: `./${path}#${digest}`, specifier: `${pathToFileURL(real).href}?${digest}` };
}

async function packageIn(root: string, adapter: string): Promise<Found> {
  const [, name] = PACKAGE.exec(adapter) ?? [];
  if (name === undefined)
    throw wrong(`${adapter} is neither a path nor a package`, 'write ./my-platform.ts or the name of an npm package');
  const manifest = await readFile(join(root, 'node_modules', name, 'package.json'), 'utf8').catch(() => {
    throw wrong(`there is no package ${name} on this host`, `npm install --prefix ${root} ${adapter}, on every host`);
  });
  const { version } = JSON.parse(manifest) as { version?: unknown };
  return { reference: `${name}@${String(version)}`, specifier: `${PREFIX}${root}\n${name}` };
}

/** Before a package whose directory is known. */
const PREFIX = 'databridge-adapter:';

let isProvided = false;

/** An adapter imports `databridge/platform` of the bridge that loads it, wherever it lies. */
function provideContract(): void {
  if (isProvided) return;
  isProvided = true;
  const contract = new URL(`platform/index${extname(import.meta.filename)}`, import.meta.url).href;
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier === 'databridge/platform') return { url: contract, shortCircuit: true };
      if (!specifier.startsWith(PREFIX)) return next(specifier, context);
      const [root = '', name = ''] = specifier.slice(PREFIX.length).split('\n');
      return next(name, { ...context, parentURL: pathToFileURL(join(root, 'databridge.js')).href });
    },
  });
}

const wrong = (message: string, remedy: string): BridgeError => configInvalid(message, remedy, 'adapter');
