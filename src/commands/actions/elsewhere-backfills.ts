import { setTimeout as sleep } from 'node:timers/promises';
import { titleOf } from '../../core/source/source-name.ts';
import { EXIT, printJson, printLine, printTable } from '../../terminal/output.ts';
import { bridgeAt } from './bridge-elsewhere.ts';
import type { ApiDocument, BridgeElsewhere } from './bridge-elsewhere.ts';
import { apiPathOf, sourceNamed } from './elsewhere-sources.ts';
import { interruptible } from './stop.ts';

const WATCH_MS = 1_000;

interface StartOptions {
  readonly organisation?: string;
  readonly from: string;
  readonly to?: string;
  readonly again?: boolean;
  readonly detach?: boolean;
  readonly json?: boolean;
}

/** `backfill start` on a bridge elsewhere. */
export const startBackfillElsewhere =
  (url: string) =>
  async (
    name: string,
    { organisation, from, to, again = false, detach, json = false }: StartOptions,
  ): Promise<void> => {
    const bridge = await bridgeAt(url);
    const path = `${apiPathOf(await sourceNamed(bridge, name, organisation))}/backfills`;
    const started = await bridge.send('POST', path, { from, again, ...(to !== undefined && { to }) });
    if (!detach) await watch(bridge, started, json);
    else if (json) printJson(started);
    else printLine(`backfill ${String(started['id'])} started; databridge backfill show watches it`);
  };

/** `backfill list` of a bridge elsewhere. */
export const listBackfillsElsewhere =
  (url: string) =>
  async ({ limit, json }: { limit: number; json?: boolean }): Promise<void> => {
    const backfills = await (await bridgeAt(url)).list('/backfills', {}, limit);
    if (json) printJson(backfills);
    else if (backfills.length === 0) printLine('no backfills yet');
    else {
      const cells = backfills.map((one) =>
        [one['id'], one['organisation'], one['source'], one['from'], one['to'], one['state'], share(one)].map(String),
      );
      printTable(['id', 'organisation', 'source', 'from', 'to', 'state', 'done'], cells);
    }
  };

/** `backfill show` of a bridge elsewhere. */
export const showBackfillElsewhere =
  (url: string) =>
  async (id: string, { follow, json = false }: { follow?: boolean; json?: boolean }): Promise<void> => {
    const bridge = await bridgeAt(url);
    const state = await bridge.send('GET', `/backfills/${encodeURIComponent(id)}`);
    if (follow && state['state'] === 'running') await watch(bridge, state, json);
    else print(state, json);
  };

/** `backfill cancel` on a bridge elsewhere. */
export const cancelBackfillElsewhere =
  (url: string) =>
  async (id: string, { json }: { json?: boolean }): Promise<void> => {
    const done = await (await bridgeAt(url)).send('POST', `/backfills/${encodeURIComponent(id)}/cancel`);
    if (json) printJson(done);
    else printLine(done['cancelled'] === true ? `backfill ${id} cancelled` : `backfill ${id} was not running`);
  };

const share = (state: ApiDocument): string => `${(Number(state['share']) * 100).toFixed(1)} %`;

function print(state: ApiDocument, json: boolean): void {
  if (json) printJson(state);
  else {
    const title = titleOf({ name: String(state['source']), organisation: String(state['organisation']) });
    printLine(
      `backfill ${String(state['id'])} of ${title}, ${String(state['from'])} to ${String(state['to'])}: ${String(state['state'])}, ${share(state)} covered`,
    );
  }
}

/** Waits until the backfill ends; cancelled is exit code 1. */
async function watch(bridge: BridgeElsewhere, begun: ApiDocument, json: boolean): Promise<void> {
  const id = String(begun['id']);
  let state = begun;
  await interruptible(`backfill ${id} goes on`, async (signal) => {
    while (state['state'] === 'running') {
      await sleep(WATCH_MS, undefined, { signal });
      state = await bridge.send('GET', `/backfills/${id}`);
    }
  });
  print(state, json);
  if (state['state'] !== 'done') process.exitCode = EXIT.failed;
}
