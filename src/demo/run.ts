import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { configInvalid } from '../core/errors.ts';
import { MILLISECOND } from '../core/instant.ts';
import type { Instant, Microseconds } from '../core/instant.ts';
import { askedOf, evidenceOf, readingsBySeries } from './evidence.ts';
import { LOG } from './guide.ts';
import type { Home } from './home.ts';
import { judgePlant, seriesKey } from './judge.ts';
import { observerOf } from './observe.ts';
import type { BoardRow } from './observe.ts';
import { demoPlants, signalsOf } from './plants.ts';
import { PROJECT, writeSource } from './source-file.ts';
import type { RunningPlant } from './source-file.ts';
import type { DemoOutcome } from './summary.ts';
import { SimulatedClock } from '../simulator/clock.ts';
import { serve } from '../simulator/serve.ts';
import { startDaemon } from '../pull/daemon.ts';
import { applySource } from '../source/registration.ts';
import { readSettings } from '../settings.ts';
import { VERSION } from '../version.ts';
import { registry, withContext } from '../context.ts';
import type { Context } from '../context.ts';
import { actor } from '../terminal/output.ts';
import { readConfigs } from '../source/configs.ts';

/** Shows the demo while it runs. */
export interface Audience {
  /** The sources are registered; polling begins. */
  begins(): void;
  /** The state of the sources, every `lookEveryMs`. */
  shows(rows: readonly BoardRow[], ran: Microseconds): void;
  readonly lookEveryMs: number;
  /** Polling ends; the comparison of all readings follows. */
  ends(): void;
}

export interface DemoOptions {
  readonly home: Home;
  /** Undefined: until `signal` aborts. */
  readonly length: Microseconds | undefined;
  readonly lies: boolean;
  readonly signal: AbortSignal;
}

/** How long the daemon may take to end: it only has to finish windows of plants that answer at once. */
const PATIENCE_MS = 15_000;

const now = (): Instant => Date.now() * MILLISECOND;

/** The whole demo without its output: plants, bridge, polls, comparison. Leaves nothing running, whatever happens. */
export async function runDemo(options: DemoOptions, audience: Audience): Promise<DemoOutcome> {
  const { home } = options;
  const plants: RunningPlant[] = [];
  try {
    for (const plant of demoPlants(options)) {
      const account = { username: 'databridge', password: randomBytes(12).toString('base64url') };
      const clock = new SimulatedClock();
      const platform = plant.product.open({ accounts: [account], truth: plant.truth }, clock);
      plants.push({ plant, account, simulator: await serve(platform, clock, { faults: plant.faults }) });
    }
    const settings = readSettings({ DATABRIDGE_HOME: home.path, DATABRIDGE_DRAIN_SECONDS: '10' });
    const log = pino({ base: null }, pino.destination({ dest: join(home.path, LOG), sync: true }));
    return await withContext(
      { patient: true, mayCreate: true, signal: options.signal, settings, log },
      async (context) => {
        await register(context, plants, home);
        return await pollAndJudge(context, plants, options, audience);
      },
    );
  } finally {
    await Promise.all(plants.map(({ simulator }) => simulator.close()));
  }
}

/** As an operator would: a project, a YAML file for each source, and `source apply`. */
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

async function pollAndJudge(
  context: Context,
  plants: readonly RunningPlant[],
  options: DemoOptions,
  audience: Audience,
): Promise<DemoOutcome> {
  if (options.signal.aborted) return { ran: 0, verdicts: [], problems: ['stopped before anything was polled'] };
  const begun = now();
  audience.begins();
  const daemon = await startDaemon(context, VERSION, options.signal);
  let drained = false;
  try {
    await watch(context, plants, options, audience);
  } finally {
    audience.ends();
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
  while (!signal.aborted && now() < end) {
    audience.shows(await observe(), now() - begun);
    const restMs = (end - now()) / MILLISECOND;
    await sleep(Math.max(0, Math.min(audience.lookEveryMs, restMs)), undefined, { signal }).catch(() => undefined);
  }
}

async function judgeAll(
  { database }: Context,
  plants: readonly RunningPlant[],
): Promise<Pick<DemoOutcome, 'verdicts' | 'problems'>> {
  const stored = await readingsBySeries(database);
  const verdicts = [];
  for (const { plant, simulator } of plants) {
    verdicts.push(judgePlant(plant, await evidenceOf(database, plant.name, stored), askedOf(simulator.recorder)));
  }
  const problems = verdicts.flatMap(({ source, faults }) => faults.map((fault) => `${source}: ${fault}`));
  const known = new Set(plants.flatMap(({ plant }) => signalsOf(plant).map(seriesKey)));
  const strangers = [...stored.keys()].filter((key) => !known.has(key));
  return { verdicts, problems: [...problems, ...strangers.map((key) => `${key} is no signal of any plant`)] };
}
