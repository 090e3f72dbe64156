import { configInvalid } from '../../core/errors.ts';
import type { BackfillChange } from '../../source/backfill/change.ts';
import { printJson, printLine, printTable } from '../../terminal/output.ts';
import type { SourceName } from '../../core/source/source-name.ts';
import type { ReplayOptions, StartOptions, WishOptions } from './backfill.ts';
import { goesOn, watchUntilEnd } from './backfill-watch.ts';
import {
  BACKFILL_HEADING,
  backfillCells,
  printBackfill,
  printNothingRefused,
  printQuote,
  printStarted,
} from './backfill-words.ts';
import type { BackfillDocument, QuoteDocument, StartedBackfill } from './backfill-words.ts';
import { bridgeAt } from './bridge-elsewhere.ts';
import type { ApiDocument, BridgeElsewhere } from './bridge-elsewhere.ts';
import { apiPathOf, sourceNamed } from './elsewhere-sources.ts';

const wishIn = ({ from, to, what, order, sensor, requestsPerDay }: WishOptions): Record<string, unknown> => ({
  ...(from !== undefined && { from }),
  ...(to !== undefined && { to }),
  ...(what !== undefined && { what }),
  ...(order !== undefined && { order }),
  ...(sensor !== undefined && { sensors: sensor }),
  ...(requestsPerDay !== undefined && { requestsPerDay }),
});

/** The API gives the documents of this program. */
const backfillIn = (document: ApiDocument): BackfillDocument => document as unknown as BackfillDocument;

/** `backfill quote` on a bridge elsewhere. */
export const quoteBackfillElsewhere =
  (url: string) =>
  async (name: string, options: WishOptions & { readonly json?: boolean }): Promise<void> => {
    const bridge = await bridgeAt(url);
    const path = apiPathOf(await sourceNamed(bridge, name, options.organisation));
    const quote = await bridge.send('POST', `${path}/backfills/quote`, wishIn(options));
    if (options.json) printJson(quote);
    else printQuote(quote as unknown as QuoteDocument);
  };

/** `backfill start` on a bridge elsewhere. */
export const startBackfillElsewhere =
  (url: string) =>
  async (name: string | undefined, options: StartOptions): Promise<void> => {
    const { all = false, json = false } = options;
    if ((name === undefined) !== all)
      throw configInvalid('one source or all of them', 'give the name of a source, or --all', 'source');
    const bridge = await bridgeAt(url);
    if (name === undefined) {
      const { organisation } = options;
      const body = { ...wishIn(options), ...(organisation && { organisation }) };
      const rows: StartedBackfill[] = [];
      let cursor: unknown = null;
      do {
        const begun = await bridge.send('POST', '/backfills', { ...body, ...(cursor !== null && { cursor }) });
        rows.push(...(begun['items'] as StartedBackfill[]));
        cursor = begun['next'];
      } while (cursor !== null);
      printStarted(rows, { json });
      return;
    }
    await startOne(bridge, await sourceNamed(bridge, name, options.organisation), options);
  };

async function startOne(bridge: BridgeElsewhere, source: SourceName, options: StartOptions): Promise<void> {
  const { json = false } = options;
  const started = backfillIn(await bridge.send('POST', `${apiPathOf(source)}/backfills`, wishIn(options)));
  if (!options.detach) await watch(bridge, started.id, json);
  else if (json) printJson(started);
  else printLine(`backfill ${started.id} started; databridge backfill watch ${started.id} watches it`);
}

/** `refusals replay` on a bridge elsewhere. */
export const replayRefusalsElsewhere =
  (url: string) =>
  async (name: string, options: ReplayOptions): Promise<void> => {
    const bridge = await bridgeAt(url);
    const source = await sourceNamed(bridge, name, options.organisation);
    const refused = await bridge.list('/refusals', { source: source.name, organisation: source.organisation }, 1);
    if (refused.length === 0) printNothingRefused(source, options.json ?? false);
    else await startOne(bridge, source, { ...options, what: 'refused' });
  };

/** `backfill list` of a bridge elsewhere. */
export const listBackfillsElsewhere =
  (url: string) =>
  async ({ limit, json }: { limit: number; json?: boolean }): Promise<void> => {
    const backfills = await (await bridgeAt(url)).list('/backfills', {}, limit);
    if (json) printJson(backfills);
    else if (backfills.length === 0) printLine('no backfills yet');
    else printTable(BACKFILL_HEADING, backfills.map(backfillIn).map(backfillCells));
  };

const shown = async (bridge: BridgeElsewhere, id: number | string): Promise<BackfillDocument> =>
  backfillIn(await bridge.send('GET', `/backfills/${encodeURIComponent(id)}`));

/** `backfill show` of a bridge elsewhere. */
export const showBackfillElsewhere =
  (url: string) =>
  async (id: string, { json = false }: { json?: boolean }): Promise<void> => {
    const state = await shown(await bridgeAt(url), id);
    if (json) printJson(state);
    else printBackfill(state);
  };

/** `backfill watch` of a bridge elsewhere. */
export const watchBackfillElsewhere =
  (url: string) =>
  async (id: string, { json = false }: { json?: boolean }): Promise<void> => {
    const bridge = await bridgeAt(url);
    const state = await shown(bridge, id);
    if (goesOn(state)) await watch(bridge, state.id, json);
    else if (json) printJson(state);
    else printBackfill(state);
  };

/** `backfill pause`, `resume` and `cancel` on a bridge elsewhere. */
export const changeBackfillElsewhere =
  (url: string, change: BackfillChange) =>
  async (id: string, { json }: { json?: boolean }): Promise<void> => {
    const path = `/backfills/${encodeURIComponent(id)}/${change}`;
    const state = backfillIn(await (await bridgeAt(url)).send('POST', path));
    if (json) printJson(state);
    else printLine(`backfill ${id} is ${state.state}`);
  };

/** Waits until the backfill ends; cancelled is exit code 1. That no process polls there shows in its alerts. */
const watch = (bridge: BridgeElsewhere, id: number, json: boolean): Promise<void> =>
  watchUntilEnd({ read: () => shown(bridge, id), silence: () => Promise.resolve(undefined) }, id, { json });
