import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeTempDirectory } from '../kit/temp-directory.ts';
import { flow } from './flow.ts';
import { plainHistory, plainPolls } from './plain.ts';
import type { Start } from './plain.ts';
import type { Peer } from './peer.ts';

/** A measuring stick only: it is installed into a directory of the run, and never a dependency of the bridge. */
const NODE_RED = '5.0.7';

/** Installs Node-RED from the configured registry of npm; undefined, with a word to `say`, where that fails. */
export async function nodeRedPeer(say: (message: string) => void): Promise<Peer | undefined> {
  const directory = await makeTempDirectory('node-red');
  const home = join(directory.path, 'home');
  const pg = await versionOfPg();
  try {
    say(`installs Node-RED ${NODE_RED} into the directory of this run`);
    await install(directory.path, `node-red@${NODE_RED}`);
    // The driver goes where Node-RED looks for the modules of its function nodes.
    await mkdir(home);
    await install(home, `pg@${pg}`);
  } catch (error) {
    await directory.remove();
    say(`Node-RED cannot be installed, so nothing is compared with it: ${String(error)}`);
    return undefined;
  }
  const start: Start = async (environment) => {
    const place = await mkdtemp(join(directory.path, 'flow-'));
    const [settings, flows] = [join(place, 'settings.js'), join(place, 'flows.json')];
    await writeFile(flows, JSON.stringify(flow));
    await writeFile(settings, `module.exports = ${JSON.stringify(settingsOf(flows))};`);
    return {
      name: 'Node-RED',
      command: process.execPath,
      args: [join(directory.path, 'node_modules/node-red/red.js'), '--userDir', home, '--settings', settings],
      env: { ...environment, HOME: home },
      ready: (running) => running.output().includes('Started flows'),
    };
  };
  return {
    name: 'Node-RED',
    version: `Node-RED ${NODE_RED} with pg ${pg}`,
    setup:
      'inject, function, http request and function nodes, the last with `pg`; the same batches, key and place to go on as the script',
    history: (job) => plainHistory(job, start),
    polls: (job) => plainPolls(job, start),
    close: () => directory.remove(),
  };
}

/** Without editor and telemetry, which are not measured. */
const settingsOf = (flowFile: string): Readonly<Record<string, unknown>> => ({
  flowFile,
  uiHost: '127.0.0.1',
  uiPort: 0,
  httpAdminRoot: false,
  httpNodeRoot: false,
  credentialSecret: false,
  functionExternalModules: true,
  telemetry: { enabled: false, updateNotification: false },
  logging: { console: { level: 'info', metrics: false, audit: false } },
});

async function install(directory: string, wanted: string): Promise<void> {
  const quietly = ['--save-exact', '--no-audit', '--no-fund', '--ignore-scripts'];
  await promisify(execFile)('npm', ['install', '--prefix', directory, ...quietly, wanted]);
}

/** The version of the driver that the bridge has, for all. */
async function versionOfPg(): Promise<string> {
  const file = new URL('../../node_modules/pg/package.json', import.meta.url);
  return (JSON.parse(await readFile(file, 'utf8')) as { version: string }).version;
}
