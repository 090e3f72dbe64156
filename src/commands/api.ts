import type { Command } from 'commander';
import { tidyAccess } from '../access/tidy.ts';
import { assertApiSettings, openApi } from '../api/open.ts';
import type { RunningApi } from '../api/open.ts';
import { BridgeError } from '../core/errors.ts';
import { repeat } from '../pull/repeat.ts';
import { readSettings } from '../settings.ts';
import { VERSION } from '../version.ts';
import { withContext } from '../context.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../terminal/output.ts';
import { untilStopped } from './stop.ts';

/** `api`: serve `/v0` without polling. */
export function addApi(program: Command): void {
  program
    .command('api')
    .description('take pushed readings and give out tokens (/v0), without polling')
    .addHelpText(
      'after',
      '\nExamples:\n  $ databridge api\n  $ DATABRIDGE_API_HOST=0.0.0.0 DATABRIDGE_API_TLS_CERT=api.pem DATABRIDGE_API_TLS_KEY=api.key databridge api',
    )
    .action(async () => {
      process.exitCode = await serve();
    });
}

const CLOCK_MS = 30_000;
const TIDY_MS = 600_000;

async function serve(): Promise<number> {
  const stop = untilStopped();
  assertApiSettings(readSettings(process.env));
  return await withContext({ patient: true, signal: stop.signal }, async (context) => {
    const { log, settings } = context;
    const api = await openApi(context);
    const later = (error: unknown): void => {
      log.debug({ err: error }, 'not now');
    };
    const loops = [
      repeat(CLOCK_MS, context.clock.adjust, later),
      repeat(TIDY_MS, () => tidyAccess(context.database), later),
    ];
    log.info({ version: VERSION, url: api.url }, 'the API is up');
    await stop.stopped;
    log.info('answering what is here, taking nothing new');
    const inTime = await within(settings.drainMs, api.close());
    await Promise.all(loops.map((loop) => loop.stop()));
    return inTime ? EXIT.done : EXIT.failed;
  });
}

/** How often a taken port is tried again, ms. */
const RETRY_MS = 10_000;

/**
 * The API beside polling. A port that is taken does not keep anything from being polled: it is said once, and tried
 * again until it is free.
 */
export function apiBeside(context: Context): { close(): Promise<void> } {
  const { log } = context;
  let running: RunningApi | undefined;
  let warned = false;
  const open = async (): Promise<void> => {
    if (running) return;
    running = await openApi(context);
    log.info({ url: running.url }, 'the API is up');
  };
  const complain = (error: unknown): void => {
    if (warned) return;
    warned = true;
    const remedy = error instanceof BridgeError ? error.remedy : undefined;
    const reason = error instanceof Error ? error.message : String(error);
    log.warn({ reason, remedy }, 'the API is not up; polling goes on, and the API is tried again');
  };
  const first = open().catch(complain);
  const again = repeat(RETRY_MS, open, complain);
  return {
    async close() {
      await first;
      await again.stop();
      await within(context.settings.drainMs, running?.close() ?? Promise.resolve());
    },
  };
}

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
