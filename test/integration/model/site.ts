import { kinds } from '../../../adapters/kinds.ts';
import type { Sealing } from '../../../src/access/sealing.ts';
import { MINUTE, SECOND } from '../../../src/core/instant.ts';
import type { Instant } from '../../../src/core/instant.ts';
import { formatProblem } from '../../../src/core/source/problems.ts';
import { parseSource } from '../../../src/core/source/source.ts';
import type { Registry } from '../../../src/platform/registry.ts';
import { forgetImpossibleWaits, uncoverFutureWindows } from '../../../src/upkeep/future.ts';
import { planOnce } from '../../../src/pull/planner.ts';
import { refreshFreshness } from '../../../src/source/freshness.ts';
import { startBackfill } from '../../../src/source/backfill/start.ts';
import { applySource } from '../../../src/source/registration.ts';
import { changeSource } from '../../../src/source/state-change.ts';
import type { Change, Deed } from './deeds.ts';
import { BEGIN } from './ground.ts';
import { configurationAfter, sourceOf } from './configuration.ts';
import type { Neighbour } from './neighbour.ts';
import { NAME } from './scene.ts';
import type { Run } from './scene.ts';
import { untilQuiet } from './settle.ts';
import { recordingQueue } from '../../kit/recording-queue.ts';
import type { Worker } from './worker.ts';

/** At most this many requests: a history that needs more turns in circles. */
const MOST_REQUESTS = 2_000;

/**
 * A deed amid an answer waits for it at most this many rounds of work. The first answer may be that to a look for sensors, and
 * in some rounds the bridge asks for nothing.
 */
const ROUNDS_AMID = 4;

interface SiteParts {
  readonly sealing: Sealing;
  readonly registry: Registry;
  readonly start: () => Promise<Worker>;
  readonly neighbour: Neighbour | undefined;
}

/** The operator, the plant and the workers of a history, and what each deed means for them. */
export async function siteOf(run: Run, { sealing, registry, start, neighbour }: SiteParts) {
  const { database, time, plant, applied, history } = run;
  const workers = [await start(), await start()];
  const buried: Worker[] = [];
  /** A worker was found dead. */
  let diedAt = -Infinity;
  let configured = 'password-0';
  let paused = false;
  let removed = false;
  /** The planner found nothing to do: what is due waits for something else, such as the claim of a dead worker. */
  let idle = false;

  /** The operator applies a changed configuration. A source that was removed is registered again. */
  async function apply(change: Change, amid = false): Promise<void> {
    const next = configurationAfter(run, change, removed);
    const source = sourceOf(run, next, configured);
    const parsed = parseSource(source, [plant.platform], { kinds, now: time.now() });
    if (!parsed.ok) throw new Error(`the model wrote a wrong source: ${parsed.problems.map(formatProblem).join('; ')}`);
    // Before it is applied, because a request may come the moment after.
    applied.push(next);
    run.tries.push({ what: 'asked', concurrency: next.concurrency, amid });
    plant.silentUntil = undefined;
    await applySource({ database, sealing, registry }, parsed.source, {
      now: time.now(),
      actor: 'model',
      dryRun: false,
      rename: true,
    });
    removed = false;
  }

  /** Does a deed while the plant gives an answer, after `answers` others; afterwards, where none came in a few rounds of work. */
  async function amid(answers: number, deed: (amid: boolean) => Promise<void>): Promise<void> {
    let doing: Promise<void> | undefined;
    plant.amid = { answers, deed: () => (doing = deed(true)) };
    for (let round = 0; plant.amid !== undefined && round < ROUNDS_AMID; round += 1) {
      await waitUntilDue(MINUTE);
      await work(true);
    }
    plant.amid = undefined;
    await (doing ?? deed(false));
  }

  async function newPassword({ amid: amidAnswer, corrected }: Extract<Deed, { deed: 'new-password' }>): Promise<void> {
    const replace = (): Promise<void> => {
      plant.password = `password-${applied.length}-${plant.requests.length}`;
      plant.endTokens();
      return Promise.resolve();
    };
    if (amidAnswer) await amid(0, replace);
    else await replace();
    for (let round = 0; round < 2; round += 1) {
      await waitUntilDue(MINUTE);
      await work(true);
    }
    if (corrected) await correctPassword();
  }

  /** The operator applies the password of the plant. */
  async function correctPassword(): Promise<void> {
    configured = plant.password;
    await apply({});
  }

  const change = async (what: 'pause' | 'resume' | 'poll' | 'remove'): Promise<void> => {
    plant.silentUntil = undefined;
    const { concurrency = 1 } = applied.at(-1) ?? {};
    if (what === 'resume') run.tries.push({ what: 'asked', concurrency, amid: false });
    await changeSource(database, what, { name: NAME }, 'model');
  };

  /** Does all that is due: one step of the planner, and the jobs it dispatched. */
  async function work(together: boolean): Promise<void> {
    if (plant.requests.length > MOST_REQUESTS)
      throw new Error(`more than ${MOST_REQUESTS} requests: it turns in circles`);
    for (const [place, worker] of workers.entries()) {
      if (!worker.dead()) continue;
      diedAt = time.now();
      buried.push(worker);
      workers[place] = await start();
    }
    const { queue, added: jobs } = recordingQueue();
    const begun = time.now();
    if (run.clockMoved) {
      await uncoverFutureWindows(database);
      await forgetImpossibleWaits(database);
    }
    // The turn of the alerts, which asks once more about a silence.
    await refreshFreshness(database, 10);
    await planOnce(database, queue);
    idle = jobs.length === 0;
    if (together) {
      await allOf(jobs.flatMap(({ work: name, id }) => workers.map((worker) => worker.run(name, id))));
    } else {
      const worker = workers[plant.requests.length % 2] as Worker;
      for (const { work: name, id } of jobs) await worker.run(name, id);
    }
    const bugs = workers.flatMap((worker) => worker.bugs);
    if (bugs.length > 0) throw new Error(`a fault "bug": ${bugs[0]}`);
    // A dead worker keeps its claims for a while, so a round that began in that while may leave the neighbour out, however long it took.
    const disturbed = run.clockMoved || workers.some((worker) => worker.dead()) || begun < diedAt + MINUTE;
    if (neighbour !== undefined && !disturbed) await neighbour.assertWellServed(begun);
  }

  /** The operator has the source look for its sensors, where it does. */
  async function lookAndWork(): Promise<void> {
    if (!removed && !paused && (await state()) === 'active') await change('poll');
    for (let round = 0; round < 2; round += 1) {
      await waitUntilDue(MINUTE);
      await work(false);
    }
  }

  /** Moves on to the next instant at which something is due, at least a moment and at most `most`. */
  async function waitUntilDue(most: number): Promise<void> {
    const row = await database.row<{ due: Instant | null }>(
      `select instant_of(least((select min(greatest(due_at, held_until)) from work join source on source.id = source_id where state = 'active' and work.kind = 'poll'),
         (select min(due_at) from work join source on source.id = source_id where state = 'active' and work.kind = 'history'
            and (held_until is null or held_until <= now())))) as due`,
    );
    const wait = Math.min(most, Math.max((row?.due ?? Infinity) - time.shown(), idle ? 3 * SECOND : SECOND / 10));
    await time.advance(wait);
  }

  async function perform(deed: Deed): Promise<void> {
    switch (deed.deed) {
      case 'work':
        for (let round = 0; round < deed.rounds; round += 1) {
          await waitUntilDue(MINUTE);
          await work(deed.together);
        }
        return;
      case 'wait':
        return await time.advance(deed.seconds * SECOND);
      case 'apply':
        return await apply(deed.change);
      case 'apply-amid':
        return await amid(deed.answers, (isAmid) => apply(deed.change, isAmid));
      case 'pause':
      case 'resume':
        if (removed || paused === (deed.deed === 'pause')) return;
        paused = !paused;
        return await change(deed.deed);
      case 'poll-now': {
        if (removed || paused || (await state()) !== 'active') return;
        return await change('poll');
      }
      case 'remove':
        await change('remove');
        removed = true;
        paused = false;
        await work(false);
        return await apply(deed.change);
      case 'new-sensor':
        plant.sensors.set(`s${plant.sensors.size}`, time.now());
        return;
      case 'hide-sensor': {
        const sensor = `s${deed.sensor % plant.sensors.size}`;
        plant.hidden.add(sensor);
        await lookAndWork();
        if (!deed.returns) return;
        plant.hidden.delete(sensor);
        return await lookAndWork();
      }
      case 'rename-sensor': {
        const sensor = `s${deed.sensor % plant.sensors.size}`;
        if (plant.ended.has(sensor)) return;
        plant.ended.set(sensor, time.now());
        plant.hidden.add(sensor);
        plant.sensors.set(`s${plant.sensors.size}`, time.now());
        return await lookAndWork();
      }
      case 'cut-off': {
        const to = time.now() + deed.minutes * MINUTE;
        plant.cuts.push({ window: { from: time.now(), to }, until: to + deed.held * MINUTE });
        for (let round = 0; round < 2; round += 1) {
          await time.advance((deed.minutes * MINUTE) / 2);
          await work(false);
        }
        return;
      }
      case 'backfill':
        return await backfill(BEGIN - deed.minutes * MINUTE, deed.again);
      case 'fault': {
        const { kind, seconds, sensor, minutesBack, longerThanMinutes, header } = deed;
        const from = time.now() - (minutesBack ?? 0) * MINUTE;
        plant.faults.push({
          kind,
          until: time.now() + seconds * SECOND,
          header: header === 'soon' ? new Date((time.now() + 20 * SECOND) / 1_000).toUTCString() : header,
          ...(sensor === undefined ? {} : { sensor: `s${sensor}` }),
          ...(minutesBack === undefined ? {} : { window: { from, to: from + MINUTE } }),
          ...(longerThanMinutes === undefined ? {} : { longerThan: longerThanMinutes * MINUTE }),
        });
        return;
      }
      case 'new-password':
        return await newPassword(deed);
      case 'end-tokens':
        return plant.endTokens();
      case 'clock-ahead':
        run.clockMoved = true;
        await time.skew(deed.seconds * SECOND);
        await waitUntilDue(MINUTE);
        await work(false);
        await time.skew(0);
        return await work(false);
      case 'kill': {
        const victim = workers[deed.worker] as Worker;
        victim.killAfter(deed.statements, deed.done);
        await waitUntilDue(MINUTE);
        return await work(true);
      }
    }
  }

  const state = async (): Promise<string | undefined> =>
    (await database.row<{ state: string }>('select state from source where name = $1', [NAME]))?.state;

  async function backfill(from: Instant, again: boolean): Promise<void> {
    if ((await state()) !== 'active') return;
    const to = undefined;
    await startBackfill(database, {
      source: { name: NAME },
      from,
      to,
      what: again ? 'all' : 'missing',
      requestedBy: 'model',
    });
  }

  return {
    apply,
    perform,
    async settle() {
      if (neighbour !== undefined) await neighbour.rest();
      plant.faults.splice(0, plant.faults.length, ...plant.faults.filter(({ until }) => until === Infinity));
      if (configured !== plant.password) await correctPassword();
      if (paused || (await state()) === 'stopped') await change('resume');
      paused = false;
      if (history.readAgain) await backfill(BEGIN - 30 * MINUTE, true);
      // New sensors are looked for once an hour; the operator does not wait for that.
      await change('poll');
      await untilQuiet(run, { work, waitUntilDue });
    },
    async close() {
      for (const worker of [...buried, ...workers]) await worker.close();
    },
    lostNotes: () => [...buried, ...workers].reduce((sum, worker) => sum + worker.lostNotes(), 0),
  };
}

/** Waits until all have ended, so that none of them goes on in the next history; then throws the first error. */
async function allOf(work: readonly Promise<void>[]): Promise<void> {
  for (const result of await Promise.allSettled(work)) if (result.status === 'rejected') throw result.reason;
}
