import type { Logger } from 'pino';
import { assertApiSettings } from '../../api/open.ts';
import { assertOperatorSettings } from '../../operator/open.ts';
import { readRules } from '../../alerts/rules.ts';
import { watchAlerts } from '../../alerts/watch.ts';
import { startDaemon } from '../../daemon/daemon.ts';
import { readSettings } from '../../settings.ts';
import { VERSION } from '../../version.ts';
import { apiBeside, operatorApiBeside } from './api.ts';
import { withBridge } from '../../context-bridge.ts';
import { EXIT } from '../../terminal/output.ts';
import { keepHeapSmall } from './small-heap.ts';
import { stoppedOrOutdated, untilStopped } from './stop.ts';

/** How long closing may take after the drain, ms. */
const CLOSING_MS = 10_000;

/** `up`. */
export async function up(): Promise<void> {
  await runToTheEnd(true);
}

/** `worker`. */
export async function worker(): Promise<void> {
  await runToTheEnd(false);
}

/** Ends the process after `ms` although work hangs on a silent database: uncommitted windows are asked again. */
function endWithin(ms: number, log: Logger): void {
  const end = (): void => {
    log.warn('closing takes too long; the process ends without it');
    process.exit(EXIT.failed);
  };
  setTimeout(end, ms).unref();
}

/** What the process gets to end by itself when everything is closed, ms. */
const LEFT_OVER_MS = 1_000;

async function runToTheEnd(serving: boolean): Promise<void> {
  const code = await runUntilStopped(serving);
  process.exitCode = code;
  // A worker of BullMQ 6.7 that could not close keeps its timers for ever.
  setTimeout(() => process.exit(code), LEFT_OVER_MS).unref();
}

/** @returns the exit code */
async function runUntilStopped(serving: boolean): Promise<number> {
  keepHeapSmall();
  const stop = untilStopped();
  const settings = readSettings(process.env);
  if (serving) assertApiSettings(settings);
  if (serving || settings.operator.onWorkers) assertOperatorSettings(settings);
  await readRules(settings.alerts);
  const options = { patient: true, mayCreate: true, monitoredAs: VERSION, signal: stop.signal };
  return await withBridge(options, async (context) => {
    const daemon = await startDaemon(context, VERSION, stop.signal);
    const alerts = await watchAlerts(context);
    const { onWorkers } = context.settings.operator;
    const apis = [
      serving ? apiBeside(context) : undefined,
      serving || onWorkers ? operatorApiBeside(context) : undefined,
    ];
    const queue = context.settings.redisUrl === undefined ? 'PostgreSQL' : 'Redis';
    const database =
      context.settings.databaseUrl === undefined ? `embedded in ${context.settings.home}` : 'DATABASE_URL';
    // Who reads that the bridge is up may ask it.
    for (const api of apis) await api?.tried;
    context.log.info({ version: VERSION, database, queue }, 'databridge is up');
    const code = await stoppedOrOutdated(stop.stopped, context.database.outdated, context.log);
    context.log.info('stopping at the next window boundary');
    endWithin(context.settings.drainMs + CLOSING_MS, context.log);
    const [drained] = await Promise.all([daemon.drain(), alerts.stop(), ...apis.map((api) => api?.close())]);
    return code ?? (drained ? EXIT.done : EXIT.failed);
  });
}
