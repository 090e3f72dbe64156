import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { allPlatforms } from '../../adapters/index.ts';
import { kinds } from '../../adapters/kinds.ts';
import type { Sealing } from '../../src/access/sealing.ts';
import { MILLISECOND, SECOND, formatInstant } from '../../src/core/instant.ts';
import type { Instant, Microseconds } from '../../src/core/instant.ts';
import { formatProblem } from '../../src/core/source/problems.ts';
import { parseSource } from '../../src/core/source/source.ts';
import type { Database } from '../../src/database/database.ts';
import type { KindName } from '../../src/platform/contract.ts';
import { planOnce } from '../../src/pull/planner.ts';
import { authorisationServer } from '../../src/simulator/authorisation-server.ts';
import type { SimulatedPlatform } from '../../src/simulator/contract.ts';
import { connectionOf } from '../../src/simulator/connection.ts';
import { serve } from '../../src/simulator/serve.ts';
import type { ServedSimulator } from '../../src/simulator/serve.ts';
import type { TruthSpec } from '../../src/simulator/truth.ts';
import { applySource } from '../../src/source/registration.ts';
import { fieldsOf } from '../conformance/kit/ground.ts';
import { PLATFORMS } from '../conformance/kit/subject.ts';
import type { Subject } from '../conformance/kit/subject.ts';
import { clearGround } from '../integration/model/ground.ts';
import { timeFrom } from '../integration/model/time.ts';
import { startWorker } from '../integration/model/worker.ts';
import { recordingQueue } from '../kit/recording-queue.ts';
import { followModel } from './clocks.ts';

const platforms = await allPlatforms();

/** A platform of the registry behind its simulator, with one source of it and a worker of the real pull side, on simulated time. */
export interface Site {
  readonly database: Database;
  readonly source: { readonly name: string };
  readonly simulator: ServedSimulator;
  /** The separate authorisation server; undefined where the platform has none. */
  readonly authorisation: ServedSimulator | undefined;
  /** Whether a token signs the requests. */
  readonly hasTokens: boolean;
  now(): Instant;
  /** The worker does all that falls due until this instant. */
  workUntil(instant: Instant): Promise<void>;
  /** Requests that reached the platform and its authorisation server. */
  requests(): number;
  close(): Promise<void>;
}

export interface SiteOptions {
  readonly kind: KindName;
  readonly truth: TruthSpec;
  /** Options of the simulator. */
  readonly simulator: object;
  /** When the source is registered, and the start of its data. */
  readonly begin: Instant;
  readonly start: Instant;
  /** Instead of the interval of the sample. */
  readonly every?: string | undefined;
}

const ACCOUNT = { username: 'bridge', password: 'only-for-the-simulator' };

/** Every request takes so long. */
const TAKES: Microseconds = 20 * MILLISECOND;

/** The database is one of `openModelDatabase`, and is emptied first. */
export async function openSite(
  { database, sealing }: { readonly database: Database; readonly sealing: Sealing },
  { platform, product }: Subject,
  options: SiteOptions,
): Promise<Site> {
  const { kind, truth } = options;
  await clearGround(database);
  const time = await timeFrom(database, options.begin);
  const { clock, stop } = followModel(time);
  const closing: (() => void | Promise<void>)[] = [stop];
  const close = async (): Promise<void> => {
    for (const end of closing.splice(0).toReversed()) await end();
  };

  const served = async (simulated: SimulatedPlatform): Promise<ServedSimulator> => {
    const slow: SimulatedPlatform = {
      answer: async (request) => {
        await time.advance(TAKES);
        return await simulated.answer(request);
      },
      errorAnswer: (status) => simulated.errorAnswer(status),
      invalidateTokens: (tokens) => simulated.invalidateTokens(tokens),
      restart: () => simulated.restart?.(),
      state: () => simulated.state(),
    };
    const simulator = await serve(slow, clock);
    closing.push(() => simulator.close());
    return simulator;
  };

  try {
    const accounts = [ACCOUNT];
    const authorisation = product.hasAuthorisationServer
      ? await served(authorisationServer({ accounts, lifetimeSeconds: 3600 }, clock))
      : undefined;
    const authUrl = authorisation?.url;
    const given = { accounts, truth, ...(authUrl !== undefined && { authUrl }), ...options.simulator };
    const simulator = await served(product.open(given, clock));
    const registry = { platforms, kinds };
    const worker = await startWorker({ database, sealing, time, registry, windowReadings: 50_000 });
    closing.push(() => worker.close());

    const urls = { url: `${simulator.url}${product.path ?? ''}`, authUrl: authUrl ?? simulator.url };
    const connection = connectionOf(product, fieldsOf(kind), ACCOUNT, urls);
    const sample = sampleOf(platform.name, kind, connection, options);
    const parsed = parseSource(sample, registry.platforms, { kinds, now: time.now() });
    if (!parsed.ok) throw new Error(parsed.problems.map(formatProblem).join('\n'));
    const { source } = parsed;
    await database.run(
      `insert into ml_project (organisation_id, code, name) values ('default', $1, '') on conflict do nothing`,
      [source.project],
    );
    const wish = { now: time.now(), actor: 'test', dryRun: false };
    await applySource({ database, sealing, registry }, source, wish);

    async function work(): Promise<void> {
      const { queue, added: jobs } = recordingQueue();
      await planOnce(database, queue);
      for (const { work: name, id } of jobs) await worker.run(name, id);
      if (worker.bugs[0] !== undefined) throw new Error(`a fault "bug": ${worker.bugs[0]}`);
      // A job that found nothing to do must not be dispatched again at the same instant for ever.
      if (jobs.length === 0) await time.advance(SECOND);
    }

    return {
      database,
      source: { name: source.name },
      simulator,
      authorisation,
      hasTokens: platform.kinds[kind]?.obtain !== undefined,
      now: time.now,
      async workUntil(instant) {
        for (;;) {
          const due = await nextDue(database);
          await time.advance(Math.min(Math.max(due - time.now(), SECOND / 10), Math.max(0, instant - time.now())));
          if (time.now() >= instant) return;
          await work();
        }
      },
      requests: () =>
        [simulator, authorisation]
          .flatMap((server) => server?.recorder.log() ?? [])
          // The platform, and not the bridge, asks for the keys of its authorisation server.
          .filter(({ path }) => path !== '/jwks').length,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The sample of the platform with other addresses, credentials and times, and by another kind where the platform has two. */
function sampleOf(
  platform: string,
  kind: KindName,
  connection: Readonly<Record<string, string>>,
  { start, every }: Pick<SiteOptions, 'start' | 'every'>,
): Record<string, unknown> {
  const text = readFileSync(join(PLATFORMS, platform, 'source.sample.yaml'), 'utf8');
  const sample = parse(text) as { readonly schedule: object };
  return {
    ...sample,
    kind,
    connection,
    schedule: { ...sample.schedule, start: formatInstant(start), ...(every !== undefined && { every }) },
  };
}

/** When anything of the source falls due. */
async function nextDue(database: Database): Promise<Instant> {
  const row = await database.row<{ due: Instant | null }>(
    `select instant_of(least((select min(greatest(due_at, held_until)) from work join source on source.id = source_id where state = 'active' and work.kind <> 'history'),
       (select min(due_at) from work join source on source.id = source_id where state = 'active' and work.kind = 'history'
          and (held_until is null or held_until <= now())))) as due`,
  );
  return row?.due ?? Infinity;
}
