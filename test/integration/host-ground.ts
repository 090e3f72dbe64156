import { pino } from 'pino';
import { afterEach } from 'vitest';
import { openBridge } from '../../src/context-bridge.ts';
import type { OpenBridge } from '../../src/context-bridge.ts';
import type { SharedClock } from '../../src/database/clock.ts';
import type { OpenSource } from '../../src/pull/open/open-source.ts';
import { startDaemon } from '../../src/daemon/daemon.ts';
import { readSettings } from '../../src/settings.ts';
import { makeTempDirectory } from '../kit/temp-directory.ts';
import { SEALING_KEY } from './access-rig.ts';

/** A daemon in this process, as it runs on one host, and the messages of its log. */
export interface Host {
  readonly context: OpenBridge;
  readonly log: readonly string[];
}

/**
 * Daemons that end after each test. `ahead` tells how far the clock of a host disagrees with the database's, µs; without it the
 * host finds out itself. `sourceOf` gives the host its sources, which need no configuration then.
 */
export function useHosts(): (
  url: string,
  given?: {
    readonly ahead?: SharedClock['disagreement'];
    readonly sourceOf?: (id: number) => OpenSource;
    readonly clockSeconds?: number;
  },
) => Promise<Host> {
  const cleanups: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
  });
  return async (url, { ahead, sourceOf, clockSeconds = 10 } = {}) => {
    const home = await makeTempDirectory('clocks');
    const settings = readSettings({
      DATABASE_URL: url,
      DATABRIDGE_HOME: home.path,
      DATABRIDGE_KEY: SEALING_KEY,
      DATABRIDGE_DRAIN_SECONDS: '5',
      DATABRIDGE_CLOCK_SECONDS: String(clockSeconds),
    });
    const lines: string[] = [];
    const log = pino({}, { write: (line: string) => void lines.push((JSON.parse(line) as { msg: string }).msg) });
    const context = await openBridge({ settings, log });
    cleanups.push(
      () => home.remove(),
      () => context.close(),
    );
    const clock = ahead === undefined ? context.clock : { ...context.clock, disagreement: ahead };
    const use: OpenBridge['sources']['use'] = (row, work) =>
      sourceOf === undefined ? context.sources.use(row, work) : work(sourceOf(row.id));
    const sources = { ...context.sources, use };
    const daemon = await startDaemon({ ...context, clock, sources }, 'test', new AbortController().signal);
    cleanups.push(() => daemon.drain());
    return { context, log: lines };
  };
}
