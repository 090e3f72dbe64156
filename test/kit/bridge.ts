import { execFile } from 'node:child_process';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { openEmbeddedDatabase } from '../../src/database/embedded/index.ts';
import { placeOf } from '../../src/database/embedded/place.ts';
import { runningPostmaster } from '../../src/database/embedded/postmaster.ts';
import { runHere } from './command-here.ts';
import { testEnvironment } from './environment.ts';
import { MAIN } from './joined-program.ts';
import { startProcess } from './process.ts';
import type { RunningProcess } from './process.ts';
import { makeTempDirectory } from './temp-directory.ts';

/** A command that goes on for so long hangs, ms. The test fails then with what the command and the daemons said. */
const LONGEST_COMMAND_MS = 300_000;

/** How a command of databridge ended. */
export interface Answer {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** An installation of databridge with a home of its own. Tests use it by its command line, as an operator does. */
export interface BridgeUnderTest {
  readonly home: string;
  /** The settings that lead a process to this installation: its home, and its database where that is not the embedded one. */
  readonly settings: NodeJS.ProcessEnv;
  /** Runs a command to its end in a process of its own. */
  run(...args: string[]): Promise<Answer>;
  /**
   * Runs a command to its end, in this process (`runHere`) where the database is not the embedded one, whose processes each count.
   */
  answer(...args: string[]): Promise<Answer>;
  /** `answer`, of which it returns stdout. Throws, with all output, where the command does not exit with 0. */
  succeed(...args: string[]): Promise<string>;
  /** Writes a source as YAML (JSON is YAML) and applies it, with these options of `source apply`; the answer is its stdout. */
  apply(source: Record<string, unknown>, ...options: string[]): Promise<string>;
  /** Starts `databridge up` (or another command) and waits until it says that it is up. */
  up(command?: 'up' | 'worker'): Promise<RunningProcess>;
  /** A connection to its database. It keeps an embedded server running; the caller closes it. */
  database(): Promise<{ client: pg.Client; close(): Promise<void> }>;
  /** Ends a server that a killed process left running, and removes the home. */
  remove(): Promise<void>;
}

/**
 * Makes an installation whose home is a temporary directory. `environment` adds to that of the tests, and takes a setting away
 * with undefined. Without a `DATABASE_URL` the installation has an embedded server of its own. `main`: the program, such as that of another
 * version.
 */
export async function makeBridge(environment: NodeJS.ProcessEnv = {}, main = MAIN): Promise<BridgeUnderTest> {
  const directory = await makeTempDirectory('bridge');
  const home = directory.path;
  // Under root the embedded server runs as another user, which has to pass.
  await chmod(home, 0o711);
  const env: NodeJS.ProcessEnv = {
    ...testEnvironment(),
    DATABRIDGE_HOME: home,
    DATABRIDGE_API_PORT: '0',
    DATABRIDGE_OPERATOR: 'off',
    USER: 'tester',
    ...environment,
  };
  const daemons: RunningProcess[] = [];
  const run = (...args: string[]): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const options = { env, maxBuffer: 256 * 1024 * 1024, timeout: LONGEST_COMMAND_MS };
      execFile(process.execPath, [main, ...args], options, (error, stdout, stderr) => {
        if (error?.killed) {
          const logs = daemons.map((daemon) => daemon.output().slice(-8_000));
          reject(new Error(`databridge ${args.join(' ')} goes on\n${stdout}\n${stderr}\n${logs.join('\n')}`));
          return;
        }
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
        resolve({ code, stdout, stderr });
      });
    });
  // Node.js itself loads adapters from a directory.
  const isOwnProcess = main !== MAIN || env['DATABASE_URL'] === undefined || env['DATABRIDGE_ADAPTERS'] !== undefined;
  const answer = async (...args: string[]): Promise<Answer> =>
    await (isOwnProcess ? run(...args) : runHere(args, { ...env }));
  const succeed = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await answer(...args);
    if (code !== 0) throw new Error(`databridge ${args.join(' ')} exited with ${code}\n${stdout}\n${stderr}`);
    return stdout;
  };
  return {
    home,
    settings: {
      DATABRIDGE_HOME: home,
      ...(env['DATABASE_URL'] === undefined ? {} : { DATABASE_URL: env['DATABASE_URL'] }),
    },
    run,
    answer,
    succeed,
    async apply(source, ...options) {
      const file = join(home, `${String(source['name'])}.yaml`);
      await writeFile(file, JSON.stringify(source));
      return await succeed('source', 'apply', ...options, file);
    },
    async up(command = 'up') {
      const started = await startProcess({
        name: `databridge ${command}`,
        command: process.execPath,
        args: [main, command],
        env,
        ready: (running) => running.output().includes('databridge is up'),
      });
      daemons.push(started);
      return started;
    },
    async database() {
      const embedded = env['DATABASE_URL'] === undefined ? await openEmbeddedDatabase({ directory: home }) : undefined;
      const client = new pg.Client({ connectionString: embedded?.url ?? env['DATABASE_URL'] });
      await client.connect();
      return {
        client,
        async close() {
          await client.end();
          await embedded?.release();
        },
      };
    },
    async remove() {
      for (const daemon of daemons) if (daemon.running()) await daemon.kill9();
      // The last process to leave the embedded server stops it; after a kill that is this command. It would start one that is stopped.
      const isOwnServer = env['DATABASE_URL'] === undefined;
      if (isOwnServer && runningPostmaster(placeOf(home).data) !== undefined) await run('project', 'list');
      await directory.remove();
    },
  };
}
