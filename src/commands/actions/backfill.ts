import type { KindOfBackfill } from '../../core/backfill.ts';
import { counted } from '../../core/counted.ts';
import { asBridgeError, configInvalid } from '../../core/errors.ts';
import { changeBackfill, unknownBackfill } from '../../source/backfill/change.ts';
import type { BackfillChange } from '../../source/backfill/change.ts';
import { quoteBackfill, quoteDocument, startQuoted } from '../../source/backfill/quote.ts';
import { activeSources } from '../../source/backfill/start.ts';
import type { WantedBackfill } from '../../source/backfill/start.ts';
import { backfillDocument, backfillState, listBackfills, olderBackfills } from '../../source/backfill/state.ts';
import type { BackfillState } from '../../source/backfill/state.ts';
import { plannerSilence } from '../../pull/planner.ts';
import { withContext } from '../../context.ts';
import { platforms as listed } from '../../context-platforms.ts';
import { registryFor } from '../../context-registry.ts';
import { platformsBehind } from '../../source/demand.ts';
import { findSource } from '../../source/find-source.ts';
import { firstRefusedHour } from '../../source/refusals.ts';
import type { Context } from '../../context.ts';
import { actor, printJson, printLine, printTable } from '../../terminal/output.ts';
import { parseTime } from '../options.ts';
import { goesOn, watchUntilEnd } from './backfill-watch.ts';
import {
  BACKFILL_HEADING,
  backfillCells,
  printBackfill,
  printNothingRefused,
  printQuote,
  printStarted,
} from './backfill-words.ts';
import type { BackfillDocument, StartedBackfill } from './backfill-words.ts';

/** The options that say what is wanted. */
export interface WishOptions {
  readonly organisation?: string;
  readonly from?: string;
  readonly to?: string;
  readonly what?: KindOfBackfill;
  readonly order?: 'oldest' | 'newest';
  readonly sensor?: readonly string[];
  readonly requestsPerDay?: number;
}

export interface StartOptions extends WishOptions {
  readonly all?: boolean;
  readonly detach?: boolean;
  readonly json?: boolean;
}

/** The hours with refused points say the rest. */
export type ReplayOptions = Omit<StartOptions, 'from' | 'to' | 'what' | 'all'>;

function wanted(name: string, options: WishOptions, { clock }: Pick<Context, 'clock'>): WantedBackfill {
  const now = clock.now();
  return {
    source: { name, organisation: options.organisation },
    from: options.from === undefined ? undefined : parseTime(options.from, now, '--from'),
    to: options.to === undefined ? undefined : parseTime(options.to, now, '--to'),
    what: options.what,
    order: options.order,
    sensors: options.sensor,
    requestsPerDay: options.requestsPerDay,
  };
}

/** `backfill quote`. */
export async function backfillQuote(source: string, options: WishOptions & { readonly json?: boolean }): Promise<void> {
  const quote = await withContext(async (context) => {
    const { database, settings } = context;
    const wish = wanted(source, options, context);
    return quoteDocument(
      await quoteBackfill(database, registryFor(settings), wish, settings.windowReadings, settings.egress.hostPaces),
    );
  });
  if (options.json) printJson(quote);
  else printQuote(quote);
}

/** `backfill start`. */
export async function backfillStart(source: string | undefined, options: StartOptions): Promise<void> {
  if ((source === undefined) !== (options.all === true))
    throw configInvalid('one source or all of them', 'give the name of a source, or --all', 'source');
  await withContext((context) =>
    source === undefined ? startAll(context, options) : startOne(context, source, options),
  );
}

const begin = ({ database, settings }: Context, wish: WantedBackfill): Promise<number> =>
  startQuoted(
    database,
    registryFor(settings),
    { ...wish, requestedBy: actor() },
    settings.windowReadings,
    settings.egress.hostPaces,
  );

async function startOne(context: Context, source: string, options: StartOptions): Promise<void> {
  const { json = false } = options;
  const { database } = context;
  const id = await begin(context, wanted(source, options, context));
  if (!options.detach) return await watchBackfill(context, id, { json });
  if (json) printJson(await documentOf((await backfillState(database, id)) as BackfillState));
  else printLine(`backfill ${id} started; databridge backfill watch ${id} watches it`);
}

/** `refusals replay`: a backfill of the hours with refused points, from the first of them. */
export async function refusalsReplay(source: string, options: ReplayOptions): Promise<void> {
  const { json = false } = options;
  await withContext(async (context) => {
    const found = await findSource(context.database, { name: source, organisation: options.organisation });
    const first = await firstRefusedHour(context.database, found.id);
    if (first === undefined) printNothingRefused(found, json);
    else await startOne(context, source, { ...options, what: 'refused' });
  });
}

/** One for each active source; it does not watch them. Where one cannot be started, the others are, and the exit code is 1. */
async function startAll(context: Context, options: StartOptions): Promise<void> {
  const { database } = context;
  const rows: StartedBackfill[] = [];
  for (const { name, organisation } of await activeSources(database, { organisation: options.organisation })) {
    const wish = wanted(name, { ...options, organisation }, context);
    const started = await begin(context, wish).catch((error: unknown) => asBridgeError(error));
    const fault = typeof started === 'number' ? null : started.message;
    rows.push({ organisation, source: name, backfill: typeof started === 'number' ? started : null, fault });
  }
  printStarted(rows, options);
}

/** `backfill pause`, `resume` and `cancel`. */
export const backfillChange =
  (change: BackfillChange) =>
  async (text: string, options: { json?: boolean }): Promise<void> => {
    const id = idOf(text);
    const { changed, state } = await withContext(async ({ database }) => ({
      changed: await changeBackfill(database, id, change, actor()),
      state: await backfillState(database, id),
    }));
    if (state === undefined) throw unknownBackfill(id);
    if (options.json) printJson(await documentOf(state));
    else printLine(`backfill ${id} ${changed ? 'is' : 'was'} ${state.state}${changed ? '' : ' already'}`);
  };

/** `backfill list`. */
export async function backfillList(options: { limit: number; json?: boolean }): Promise<void> {
  const { limit, json } = options;
  const { backfills, older } = await withContext(async ({ database }) => {
    const newest = await listBackfills(database, limit);
    return { backfills: newest, older: await olderBackfills(database, newest.at(-1)?.id ?? 0) };
  });
  const documents = await Promise.all(backfills.map(documentOf));
  if (json) printJson(documents);
  else if (documents.length === 0) printLine('no backfills yet');
  else {
    printTable(BACKFILL_HEADING, documents.map(backfillCells));
    if (older > 0) printLine(`\n${counted(older, 'older backfill')} not shown (--limit)`);
  }
}

/** `backfill show`. */
export async function backfillShow(text: string, options: { json?: boolean }): Promise<void> {
  const state = await withContext(({ database }) => backfillState(database, idOf(text)));
  if (!state) throw unknownBackfill(idOf(text));
  const document = await documentOf(state);
  if (options.json) printJson(document);
  else printBackfill(document);
}

/** `backfill watch`. */
export async function backfillWatch(text: string, options: { json?: boolean }): Promise<void> {
  const id = idOf(text);
  await withContext(async (context) => {
    const state = await backfillState(context.database, id);
    if (!state) throw unknownBackfill(id);
    const document = await documentOf(state);
    if (goesOn(document)) await watchBackfill(context, id, { json: options.json ?? false });
    else if (options.json) printJson(document);
    else printBackfill(document);
  });
}

/** Watches a backfill of this bridge; see `watchUntilEnd`. */
export const watchBackfill = (
  { database }: Pick<Context, 'database'>,
  id: number,
  options: { readonly json: boolean; readonly patienceMs?: number },
): Promise<void> =>
  watchUntilEnd(
    {
      read: async () => {
        const state = await backfillState(database, id);
        return state && (await documentOf(state));
      },
      silence: () => plannerSilence(database),
    },
    id,
    options,
  );

/** Its platforms are loaded once in a process, however often it is asked. */
const documentOf = async (state: BackfillState): Promise<BackfillDocument> =>
  backfillDocument(state, await platformsBehind([state.demand], listed));

function idOf(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw configInvalid(
    `${JSON.stringify(text)} is not the number of a backfill`,
    'databridge backfill list shows the numbers',
  );
}
