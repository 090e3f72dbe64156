import { expect } from 'vitest';
import type { Client } from 'pg';
import type { RunningProcess } from '../kit/process.ts';
import { eventually } from './eventually.ts';
import { bridgeOn, expectComplete, stateOf } from './site.ts';
import type { RegisteredDatabase, Site } from './site.ts';

/** Fails, with the last output of the process, where it has ended. */
export function expectRunning(daemon: RunningProcess): void {
  if (!daemon.running()) throw new Error(`the daemon ended\n${daemon.output()}`);
}

/** A log line at ERROR means that data are at risk or that a person must act. An outage that passes is neither. */
export function expectNoErrors(daemon: RunningProcess): void {
  const lines = daemon.output().split('\n');
  expect(lines.filter((line) => /^\{"level":[56]0/.test(line))).toEqual([]);
}

/** Waits until this many windows are covered. */
export const polled = (client: Client, windows: number): Promise<unknown> =>
  eventually(
    `${windows} windows are covered`,
    async () => {
      const { rows } = await client.query<{ done: boolean }>('select count(*) >= $1 as done from window_log', [
        windows,
      ]);
      return rows[0]?.done;
    },
    { state: () => stateOf(client) },
  );

/**
 * Runs a daemon on a database of the site and strikes once it polls. `source` replaces the registered one before. Expects that
 * the daemon stays, holds in the end all readings of the source, logs nothing above a warning, and stops in order.
 */
export async function survives(
  site: Site,
  database: RegisteredDatabase,
  environment: NodeJS.ProcessEnv,
  strike: (daemon: RunningProcess) => Promise<unknown>,
  source?: Record<string, unknown>,
): Promise<void> {
  const bridge = await bridgeOn(site, { DATABASE_URL: database.url, ...environment });
  let daemon: RunningProcess | undefined;
  try {
    if (source !== undefined) await bridge.apply(source);
    daemon = await bridge.up();
    await polled(database.client, 5);
    await strike(daemon);
    await expectComplete(site, database.client);
    expectRunning(daemon);
    expectNoErrors(daemon);
    expect((await daemon.stop(60_000)).code).toBe(0);
  } catch (error) {
    throw new Error(`${String(error)}\n${daemon?.output() ?? ''}`, { cause: error });
  } finally {
    await bridge.remove();
    await database.close();
  }
}
