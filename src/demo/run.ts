import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { configInvalid } from '../core/errors.ts';
import { DAY, HOUR, MILLISECOND } from '../core/instant.ts';
import type { Instant, Microseconds } from '../core/instant.ts';
import { openDoor } from './door.ts';
import type { Door } from './door.ts';
import { askedOf, evidenceOf, readingsBySeries } from './evidence.ts';
import { LOG } from './guide.ts';
import type { Home } from './home.ts';
import { judgePlant, seriesKey } from './judge.ts';
import { observerOf } from './observe.ts';
import type { BoardRow } from './observe.ts';
import { signalsOf } from './plants.ts';
import type { Plant } from './plants.ts';
import { PROJECT, START, requestsTo, writeSource } from './source-file.ts';
import type { RunningPlant } from './source-file.ts';
import type { DemoOutcome } from './summary.ts';
import { authorisationServer } from '../simulator/authorisation-server.ts';
import { SimulatedClock } from '../simulator/clock.ts';
import { serve } from '../simulator/serve.ts';
import { startDaemon } from '../daemon/daemon.ts';
import { startBackfill } from '../source/backfill/start.ts';
import { applySource } from '../source/registration.ts';
import { readSettings } from '../settings.ts';
import { VERSION } from '../version.ts';
import type { Context } from '../context.ts';
import { withBridge } from '../context-bridge.ts';
import type { OpenBridge } from '../context-bridge.ts';
import { registry } from '../context-registry.ts';
import { actor } from '../terminal/output.ts';
import { readConfigs } from '../source/configs.ts';

/** Shows the demo while it runs. */
export interface Audience {
  /** The sources are registered and the console is open; polling begins. */
  begins(door: Door): void;
  /** The state of the sources, every `lookEveryMs`. */
  shows(rows: readonly BoardRow[], ran: Microseconds): void;
  readonly lookEveryMs: number;
  /** Polling ends; the comparison of all readings follows. */
  ends(): void;
}

export interface DemoOptions {
  readonly home: Home;
  /** Sources are polled for this time, and until each has a reading. Undefined: until `signal` aborts. */
  readonly length: Microseconds | undefined;
  readonly plants: readonly Plant[];
  readonly signal: AbortSignal;
}

/** How long the daemon may take to end: it only has to finish windows of plants that answer at once. */
const PATIENCE_MS = 15_000;

/** A machine that is busy may take so much longer than `length` until every source has a reading. */
const FIRST_READINGS_MS = 300_000;

/** A token of an authorisation server is replaced every few seconds, so that the demo shows it. */
const TOKEN_SECONDS = 10;

const now = (): Instant => Date.now() * MILLISECOND;

/** The whole demo without its output: plants, bridge, polls, comparison. Leaves nothing running, whatever happens. */
export async function runDemo(options: DemoOptions, audience: Audience): Promise<DemoOutcome> {
  const { home } = options;
  const plants: RunningPlant[] = [];
  try {
    for (const plant of options.plants) plants.push(await openPlant(plant));
    const settings = readSettings({
      DATABRIDGE_HOME: home.path,
      DATABRIDGE_DRAIN_SECONDS: '10',
      DATABRIDGE_OPERATOR_PORT: '0',
    });
    const log = pino({ base: null }, pino.destination({ dest: join(home.path, LOG), sync: true }));
    return await withBridge(
      { patient: true, mayCreate: true, signal: options.signal, settings, log },
      async (context) => {
        await register(context, plants, home);
        await beginBackfill(context, plants);
        return await pollAndJudge(context, plants, options, audience);
      },
    );
  } finally {
    for (const { simulator, authorisation } of plants) {
      await simulator.close();
      await authorisation?.close();
    }
  }
}

/** The servers of a plant: its platform, and the authorisation server of a platform that has none of its own. */
export async function openPlant(plant: Plant): Promise<RunningPlant> {
  const { product, truth, faults } = plant;
  const account = { username: 'databridge', password: randomBytes(12).toString('base64url') };
  const clock = new SimulatedClock();
  const accounts = [account];
  const authorisation = product.hasAuthorisationServer
    ? await serve(authorisationServer({ accounts, lifetimeSeconds: TOKEN_SECONDS }, clock), clock)
    : undefined;
  const platform = product.open({ accounts, truth, ...(authorisation && { authUrl: authorisation.url }) }, clock);
  return { plant, account, authorisation, simulator: await serve(platform, clock, { faults }) };
}

/** Sets up what an operator would: a project, a YAML file for each source, and `source apply`. */
async function register(context: Context, plants: readonly RunningPlant[], home: Home): Promise<void> {
  const { database, sealing, clock } = context;
  await database.run(`insert into ml_project (organisation_id, code, name) values ('default', $1, 'Demo')`, [PROJECT]);
  for (const plant of plants) {
    const { sources, problems } = await readConfigs(await writeSource(plant, home.path), registry, clock.now());
    for (const { path, message, remedy } of problems) throw configInvalid(message, remedy, path);
    for (const source of sources) {
      await applySource({ database, sealing, registry }, source, { now: clock.now(), actor: actor(), dryRun: false });
    }
  }
}

/** How much of the past before the sources begin the backfill of the demo asks for: minutes of work at the pace of a source. */
const BACKFILLED = 7 * DAY;

/** Asks for the past of one plant that answers every request, so that the console has a backfill to show from the first minute. */
async function beginBackfill({ database, clock }: Context, plants: readonly RunningPlant[]): Promise<void> {
  const dependable = plants.findLast(({ plant }) => plant.faults.length === 0);
  if (dependable === undefined) return;
  // Up to where the source itself begins, and rather an hour into it than a gap before it.
  const to = Math.ceil((clock.now() - START) / HOUR) * HOUR;
  await startBackfill(database, {
    source: { name: dependable.plant.name },
    from: to - BACKFILLED,
    to,
    requestedBy: actor(),
  });
}

async function pollAndJudge(
  context: OpenBridge,
  plants: readonly RunningPlant[],
  options: DemoOptions,
  audience: Audience,
): Promise<DemoOutcome> {
  if (options.signal.aborted) return { ran: 0, verdicts: [], problems: ['interrupted before anything was polled'] };
  const begun = now();
  const door = await openDoor(context);
  audience.begins(door);
  const daemon = await startDaemon(context, VERSION, options.signal);
  let drained = false;
  try {
    await watch(context, plants, options, audience);
  } finally {
    audience.ends();
    await door.close();
    // A window that has not ended by then loses its database, which holds no half of a window.
    drained = await Promise.race([daemon.drain(), sleep(PATIENCE_MS, false, { ref: false })]);
  }
  const ran = now() - begun;
  const { verdicts, problems } = await judgeAll(context, plants);
  return { ran, verdicts, problems: drained ? problems : [...problems, 'the windows under way did not end in time'] };
}

async function watch(
  { database }: Context,
  plants: readonly RunningPlant[],
  { length, signal }: DemoOptions,
  audience: Audience,
): Promise<void> {
  const observe = observerOf(database, plants);
  const begun = now();
  const end = begun + (length ?? Infinity);
  while (!signal.aborted) {
    const rows = await observe();
    audience.shows(rows, now() - begun);
    const restMs = (end - now()) / MILLISECOND;
    if (restMs < -FIRST_READINGS_MS || (restMs <= 0 && rows.every(({ readings }) => readings > 0))) return;
    const pauseMs = restMs > 0 ? Math.min(audience.lookEveryMs, restMs) : audience.lookEveryMs;
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
  }
}

async function judgeAll(
  { database }: Context,
  plants: readonly RunningPlant[],
): Promise<Pick<DemoOutcome, 'verdicts' | 'problems'>> {
  const stored = await readingsBySeries(database);
  const verdicts = [];
  for (const running of plants) {
    const { plant } = running;
    verdicts.push(judgePlant(plant, await evidenceOf(database, plant.name, stored), askedOf(requestsTo(running))));
  }
  const problems = verdicts.flatMap(({ source, faults }) => faults.map((fault) => `${source}: ${fault}`));
  const known = new Set(plants.flatMap(({ plant }) => signalsOf(plant).map(seriesKey)));
  const strangers = [...stored.keys()].filter((key) => !known.has(key));
  return { verdicts, problems: [...problems, ...strangers.map((key) => `${key} is no signal of any plant`)] };
}
