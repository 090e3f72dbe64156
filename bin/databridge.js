#!/usr/bin/env node
// Starts databridge with a Node.js that can run it. Plain JavaScript, because an old Node.js must understand this file.
import { spawn } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, statSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { constants, homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { isatty } from 'node:tty';
import { fileURLToPath } from 'node:url';

const NEEDED_MAJOR_VERSION = 24;
const LAUNCHER = 'DATABRIDGE_LAUNCHER_PID';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const startedByLauncher = Number(process.env[LAUNCHER]) === process.ppid;
const startedByNpx = process.env.npm_lifecycle_event === 'npx';

if (Number(process.versions.node.split('.')[0]) >= NEEDED_MAJOR_VERSION) {
  if (startedByLauncher || startedByNpx) stopWithParent();
  keepCompiled();
  runMain();
} else {
  const node = here(
    process.platform === 'win32' ? '../node_modules/node/bin/node.exe' : '../node_modules/node/bin/node',
  );
  if (!startedByLauncher && existsSync(node)) runWith(node);
  else fail(`needs Node.js ${NEEDED_MAJOR_VERSION} or newer, and this is ${process.version}`, olderNodeRemedy());
}

/**
 * Node.js keeps the compiled modules for the next command, which then starts in about half the time. They are code, so they are kept
 * only in a directory of this account. Where there is none, each command compiles for itself.
 */
function keepCompiled() {
  if (process.env.NODE_COMPILE_CACHE !== undefined) return;
  try {
    const { XDG_CACHE_HOME: given = '' } = process.env;
    const caches = isAbsolute(given) ? given : join(homedir(), '.cache');
    const ours = join(caches, 'databridge');
    if (isOwn(caches) && isOwn(ours) && (lstatSync(ours).mode & 0o22) === 0) nodeModule.enableCompileCache(ours);
  } catch {
    // A command works without them.
  }
}

/** Whether this account owns a directory. A missing one is made, in a directory that this account owns; no others above it. */
function isOwn(directory) {
  const account = process.geteuid?.();
  const found = statSync(directory, { throwIfNoEntry: false });
  if (found !== undefined) return found.isDirectory() && found.uid === account;
  if (statSync(dirname(directory), { throwIfNoEntry: false })?.uid !== account) return false;
  mkdirSync(directory, { mode: 0o700 });
  return true;
}

/** A checkout runs its sources, even with an old `dist` beside them; an installed package has no sources. */
function runMain() {
  const main = ['../src/main.ts', '../dist/src/main.js'].find((path) => existsSync(here(path)));
  if (main === undefined) {
    fail('this copy is not complete: neither src/main.ts nor dist/src/main.js is there', 'install databridge anew');
    return;
  }
  import(new URL(main, import.meta.url).href).catch((error) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND' || existsSync(here('../node_modules')) || !main.endsWith('.ts'))
      throw error;
    fail('its packages are not installed', `npm ci (in ${here('..')})`);
  });
}

/** Runs this file once more with the given Node.js and ends with the exit code or signal of that process. */
function runWith(node) {
  const child = spawn(node, [here('databridge.js'), ...process.argv.slice(2)], {
    env: { ...process.env, [LAUNCHER]: String(process.pid) },
    stdio: 'inherit',
  });
  // Ctrl-C reaches the child at the terminal. Passed on as well, it would count as a second Ctrl-C, which ends at once.
  const atTerminal = [0, 1, 2].some((descriptor) => isatty(descriptor));
  const passOn = (signal) => void child.kill(signal);
  process.on('SIGTERM', passOn);
  process.on('SIGHUP', passOn);
  process.on('SIGINT', atTerminal ? () => undefined : passOn);
  child.on('error', (error) => fail(`${node} does not start: ${error.message}`, olderNodeRemedy()));
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    for (const name of ['SIGTERM', 'SIGHUP', 'SIGINT']) process.removeAllListeners(name);
    process.kill(process.pid, signal);
    // For signals that do not end this process, such as those of a crash that Node.js catches itself.
    setTimeout(() => process.exit(128 + constants.signals[signal]), 200);
  });
}

/**
 * Drains, as after SIGTERM, when the parent is gone, because no other process would stop this process then. A killed
 * launcher passes no signal on, and npx passes SIGTERM no further than to the shell it starts commands with.
 */
function stopWithParent() {
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }, 500);
  watch.unref();
}

function olderNodeRemedy() {
  return existsSync(here('../src/main.ts'))
    ? `npm ci (in ${here('..')}), which brings a Node.js along, or install Node.js ${NEEDED_MAJOR_VERSION}`
    : `install Node.js ${NEEDED_MAJOR_VERSION} and run this command with it`;
}

function fail(problem, remedy) {
  process.stderr.write(`databridge: ${problem}\n  try: ${remedy}\n`);
  process.exitCode = 1;
}
