import { type ProcessOptions, type RunningProcess, startProcess } from './process.ts';
import { makeTempDirectory } from './temp-directory.ts';

/** A real server with a directory of its own. Address and data survive `kill9()` and `restart()`, not `stop()`. */
export interface Server {
  /** Where its data, configuration and keys are. */
  readonly directory: string;
  /** The process running at present. */
  process(): RunningProcess;
  /** Ends it in order and removes its directory. Safe to call twice. */
  stop(): Promise<void>;
  /** SIGKILL; the data stay, `restart()` brings it back. */
  kill9(): Promise<void>;
  /** Stops it in order if it runs, and starts it again on the same port with the same data. */
  restart(): Promise<void>;
  /** SIGSTOP: connections are accepted by the kernel and never answered. */
  pause(): void;
  resume(): void;
}

/**
 * Starts a server in a fresh temporary directory.
 * @param describe what to run; called once, may write files into the directory
 */
export async function startServer(
  name: string,
  describe: (directory: string) => Promise<ProcessOptions>,
): Promise<Server> {
  const directory = await makeTempDirectory(name);
  let options: ProcessOptions;
  let current: RunningProcess;
  try {
    options = await describe(directory.path);
    current = await startProcess(options);
  } catch (error) {
    await directory.remove();
    throw error;
  }
  return {
    directory: directory.path,
    process: () => current,
    async stop() {
      await current.stop();
      await directory.remove();
    },
    async kill9() {
      await current.kill9();
    },
    async restart() {
      await current.stop();
      current = await startProcess(options);
    },
    pause: () => current.pause(),
    resume: () => current.resume(),
  };
}
