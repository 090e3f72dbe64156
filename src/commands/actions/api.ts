import { createOperatorLink, pathOfLink } from '../../access/operator-links.ts';
import { makeFirstOperator } from '../../access/operator-passwords.ts';
import { readRules } from '../../alerts/rules.ts';
import { watchAlerts } from '../../alerts/watch.ts';
import { tidyAccess } from '../../access/tidy.ts';
import { assertApiSettings, openApi } from '../../api/open.ts';
import { BridgeError } from '../../core/errors.ts';
import { assertOperatorSettings, openOperatorApi } from '../../operator/open.ts';
import { diskRoom } from '../../database/disk.ts';
import { BEAT_MS, presenceOf } from '../../database/presence.ts';
import { repeat } from '../../database/repeat.ts';
import { readSettings } from '../../settings.ts';
import { VERSION } from '../../version.ts';
import { withBridge } from '../../context-bridge.ts';
import type { OpenBridge } from '../../context-bridge.ts';
import { EXIT, printLine } from '../../terminal/output.ts';
import { keepHeapSmall } from './small-heap.ts';
import { stoppedOrOutdated, untilStopped } from './stop.ts';

/** `api`. */
export async function api(): Promise<void> {
  process.exitCode = await serve();
}

/** How often the difference to the clock of the database is measured, ms. */
const CLOCK_MS = 30_000;

/** How often expired tokens and keys are removed, ms. */
const TIDY_MS = 600_000;

async function serve(): Promise<number> {
  keepHeapSmall();
  const stop = untilStopped();
  const given = readSettings(process.env);
  assertApiSettings(given);
  assertOperatorSettings(given);
  await readRules(given.alerts);
  return await withBridge({ patient: true, monitoredAs: VERSION, signal: stop.signal }, async (context) => {
    const { log, settings, keys } = context;
    // A rotation of the sealing key waits until this process has the new one.
    const presence = presenceOf(context.database, context.workerId, VERSION, {
      polls: false,
      kids: () => keys.kids(),
      disk: () => diskRoom(settings.home),
    });
    const api = await openPushApi(context);
    const tryLater = (error: unknown): void => {
      log.debug({ err: error }, 'a regular task of the API failed and is tried again');
    };
    await presence.beat().catch(tryLater);
    const loops = [
      repeat(BEAT_MS, () => presence.beat(), tryLater),
      repeat(CLOCK_MS, context.clock.adjust, tryLater),
      repeat(TIDY_MS, () => tidyAccess(context.database), tryLater),
    ];
    log.info({ version: VERSION, url: api.url, page: api.page }, 'the API is up');
    const ofOperators = operatorApiBeside(context);
    const alerts = await watchAlerts(context);
    const code = await stoppedOrOutdated(stop.stopped, context.database.outdated, log);
    log.info('stopping: requests under way are answered, new ones are not taken');
    const [inTime] = await Promise.all([within(settings.drainMs, api.close()), ofOperators?.close()]);
    await Promise.all([alerts.stop(), ...loops.map((loop) => loop.stop())]);
    await presence.leave().catch(tryLater);
    return code ?? (inTime ? EXIT.done : EXIT.failed);
  });
}

/** How often a taken port is tried again, ms. */
const RETRY_MS = 10_000;

/** The API beside polling. Polling goes on without it. */
export const apiBeside = (context: OpenBridge): Beside => openBeside(context, 'the API', () => openPushApi(context));

const openPushApi = (context: OpenBridge): ReturnType<typeof openApi> =>
  openApi({ ...context, meters: context.metrics?.api });

/** The operator API beside the rest of the process, which goes on without it; undefined where the settings switch it off. */
export const operatorApiBeside = (context: OpenBridge): Beside | undefined =>
  context.settings.operator.serves
    ? openBeside(context, 'the operator API', async () => {
        const running = await openOperatorApi(context);
        await showFirstOperator(context, running.url);
        return running;
      })
    : undefined;

/** Makes the first operator and prints its password once: on stdout, because the log is kept. */
async function showFirstOperator({ database, settings }: OpenBridge, url: string): Promise<void> {
  if (!settings.operator.takesPasswords) return;
  const first = await makeFirstOperator(database);
  if (first === undefined) return;
  printLine(
    `operator ${first.name} created, because there was none; it signs in once within a day and chooses a password:`,
  );
  printLine(`  ${first.password}`);
  const { token } = await createOperatorLink(database, { name: first.name, kind: 'sign-in' }, 'databridge');
  printLine('or once within 15 minutes with this link:');
  printLine(`  ${settings.operator.publicOrigin ?? url}${pathOfLink(token)}`);
}

interface Running {
  close(): Promise<void>;
}

interface Beside extends Running {
  /** Ends with the first try to open the server, however it ended. */
  readonly tried: Promise<void>;
}

/**
 * Opens a server. Where that fails, for example because its port is taken, the process goes on: it warns once and tries again
 * until the server is open.
 */
function openBeside(
  { log, settings }: OpenBridge,
  title: string,
  start: () => Promise<Running & { readonly url: string; readonly page?: string | undefined }>,
): Beside {
  let running: Running | undefined;
  let warned = false;
  const open = async (): Promise<void> => {
    if (running) return;
    const started = await start();
    running = started;
    log.info({ url: started.url, page: started.page }, `${title} is up`);
  };
  const warnOnce = (error: unknown): void => {
    if (warned) return;
    warned = true;
    const remedy = error instanceof BridgeError ? error.remedy : undefined;
    const reason = error instanceof Error ? error.message : String(error);
    log.warn({ reason, remedy }, `${title} is not up; the process goes on, and opening it is tried again`);
  };
  const first = open().catch(warnOnce);
  const again = repeat(RETRY_MS, open, warnOnce);
  return {
    tried: first,
    async close() {
      await first;
      await again.stop();
      await within(settings.drainMs, running?.close() ?? Promise.resolve());
    },
  };
}

/** Whether the work ends within `ms`. */
async function within(ms: number, work: Promise<void>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, ms, false);
  });
  try {
    return await Promise.race([work.then(() => true), tooLong]);
  } finally {
    clearTimeout(timer);
  }
}
