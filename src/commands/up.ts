import { setFlagsFromString } from 'node:v8';
import type { Command } from 'commander';
import type { Logger } from 'pino';
import { assertApiSettings } from '../api/open.ts';
import { startDaemon } from '../pull/daemon.ts';
import { readSettings } from '../settings.ts';
import { VERSION } from '../version.ts';
import { apiBeside } from './api.ts';
import { withContext } from '../context.ts';
import { EXIT } from '../terminal/output.ts';
import { untilStopped } from './stop.ts';

/** How long closing may take after the drain. */
const CLOSING_MS = 10_000;

/** `up` and `worker`: run until told to stop, then drain. */
export function addUp(program: Command): void {
  program
    .command('up')
    .description('run everything in one process: planner, polls, backfills and the API')
    .addHelpText(
      'after',
      '\nExamples:\n  $ databridge up\n  $ DATABASE_URL=postgres://… REDIS_URL=redis://… databridge up\n\nThe API listens on DATABRIDGE_API_HOST and DATABRIDGE_API_PORT. While that port is taken, polling goes on without it.',
    )
    .action(async () => {
      process.exitCode = await runUntilStopped(true);
    });
  program
    .command('worker')
    .description('run one more process of work beside others; they share DATABASE_URL and REDIS_URL')
    .addHelpText('after', '\nExample:\n  $ DATABASE_URL=postgres://… REDIS_URL=redis://… databridge worker')
    .action(async () => {
      process.exitCode = await runUntilStopped(false);
    });
}

/**
 * V8 takes the remains of a poll for lasting objects, because they live just long enough, and lets the heap grow to a
 * multiple of its use before it collects them. With a growth of half, a worker needs half of the memory and a few percent
 * more time (`npm run bench`: schedule and pull).
 */
const keepHeapSmall = (): void => {
  setFlagsFromString('--heap-growing-percent=50');
};

/** What hangs on a database that does not answer is left behind: it was not committed, so it is asked again. */
function endWithin(ms: number, log: Logger): void {
  const end = (): void => {
    log.warn('not everything could be closed in time; ending all the same');
    process.exit(EXIT.failed);
  };
  setTimeout(end, ms).unref();
}

async function runUntilStopped(serving: boolean): Promise<number> {
  keepHeapSmall();
  const stop = untilStopped();
  if (serving) assertApiSettings(readSettings(process.env));
  return await withContext({ patient: true, signal: stop.signal }, async (context) => {
    const daemon = await startDaemon(context, VERSION, stop.signal);
    const api = serving ? apiBeside(context) : undefined;
    const queue = context.settings.redisUrl === undefined ? 'PostgreSQL' : 'Redis';
    const database =
      context.settings.databaseUrl === undefined ? `embedded in ${context.settings.home}` : 'DATABASE_URL';
    context.log.info({ version: VERSION, database, queue }, 'databridge is up');
    await stop.stopped;
    context.log.info('stopping at the next window boundary');
    endWithin(context.settings.drainMs + CLOSING_MS, context.log);
    const [drained] = await Promise.all([daemon.drain(), api?.close()]);
    return drained ? EXIT.done : EXIT.failed;
  });
}
