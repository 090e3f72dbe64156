/** Makes sure that the servers the tests run against are on this machine: `npm test` begins with this. */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** A program that the tests start. A new program is one more line below. */
interface Tool {
  readonly command: string;
  readonly versionArgument: string;
  /** The Debian and Ubuntu package that holds it. */
  readonly debianPackage: string;
}

const tools: readonly Tool[] = [
  { command: 'redis-server', versionArgument: '--version', debianPackage: 'redis-server' },
  { command: 'influxd', versionArgument: 'version', debianPackage: 'influxdb' },
  { command: 'prometheus', versionArgument: '--version', debianPackage: 'prometheus' },
  { command: 'promtool', versionArgument: '--version', debianPackage: 'prometheus' },
  { command: 'openssl', versionArgument: 'version', debianPackage: 'openssl' },
  { command: 'chromium', versionArgument: '--version', debianPackage: 'chromium' },
  { command: 'script', versionArgument: '--version', debianPackage: 'bsdutils' },
];

const aptGet = '/usr/bin/apt-get';
const servicePolicy = '/usr/sbin/policy-rc.d';

process.exitCode = prepare() ? 0 : 1;

function prepare(): boolean {
  const absent = tools.filter((tool) => pathOf(tool) === undefined);
  if (absent.length > 0 && canInstall()) install([...new Set(absent.map((tool) => tool.debianPackage))]);
  const unusable = tools.filter((tool) => !report(tool));
  if (unusable.length === 0) return true;
  const packages = unusable.map((tool) => tool.debianPackage).join(' ');
  console.error(
    `\nThe tests need ${unusable.map((tool) => tool.command).join(' and ')}. Nothing is skipped without them.\n` +
      `Debian or Ubuntu, as root: apt-get update && apt-get install -y --no-install-recommends ${packages}\n` +
      `Elsewhere: put redis-server, influxd 1.x, prometheus, promtool, openssl, chromium and script (util-linux) into the PATH.`,
  );
  return false;
}

/** Prints one line about the tool; false when it is not there or does not run. */
function report(tool: Tool): boolean {
  const path = pathOf(tool);
  if (path === undefined) {
    console.error(`${tool.command.padEnd(14)} missing (Debian package ${tool.debianPackage})`);
    return false;
  }
  const { status, stdout, stderr, error } = spawnSync(path, [tool.versionArgument], { encoding: 'utf8' });
  if (status !== 0) {
    console.error(`${tool.command.padEnd(14)} does not run: ${path}: ${error?.message ?? stderr.trim()}`);
    return false;
  }
  console.log(`${tool.command.padEnd(14)} ${versionIn(stdout).padEnd(14)} ${path}`);
  return true;
}

function versionIn(text: string): string {
  return /\d+\.\d+[\w.~+-]*/.exec(text)?.[0] ?? text.trim();
}

function pathOf({ command }: Tool): string | undefined {
  const directories = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  return directories.map((directory) => join(directory, command)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function canInstall(): boolean {
  return process.getuid?.() === 0 && existsSync(aptGet) && existsSync('/etc/debian_version');
}

/** Installs packages without starting their services: the tests run servers of their own. */
function install(packages: readonly string[]): void {
  console.log(`installing ${packages.join(' ')} ...`);
  const restore = forbidServices();
  try {
    apt('update', '-qq');
    apt('install', '-y', '-qq', '--no-install-recommends', ...packages);
  } catch (error) {
    console.error(`apt-get failed: ${(error as Error).message}`);
  } finally {
    restore();
  }
}

/**
 * Debian runs this file before it starts a service; exit code 101 forbids the start. Returns a function that restores the
 * former state, which also runs after an interruption, because until then signals end apt-get and not this process.
 */
function forbidServices(): () => void {
  const saved = `${servicePolicy}.saved-by-databridge-tests`;
  const ignore = (): void => undefined;
  process.on('SIGINT', ignore).on('SIGTERM', ignore);
  if (existsSync(servicePolicy) && !existsSync(saved)) renameSync(servicePolicy, saved);
  writeFileSync(servicePolicy, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  return () => {
    if (existsSync(saved)) renameSync(saved, servicePolicy);
    else rmSync(servicePolicy);
    process.off('SIGINT', ignore).off('SIGTERM', ignore);
  };
}

function apt(...args: string[]): void {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const waitForOthers = ['-o', 'DPkg::Lock::Timeout=300'];
  const { status, error, stdout, stderr } = spawnSync(aptGet, [...waitForOthers, ...args], {
    env,
    encoding: 'utf8',
  });
  if (error) throw error;
  if (status !== 0) throw new Error(`apt-get ${args.join(' ')}: exit ${status}\n${stdout}${stderr}`);
}
