import { setTimeout as sleep } from 'node:timers/promises';
import type { Instant } from '../../src/core/instant.ts';
import type { Measure } from '../bench/bench.ts';
import { SPACING, valueAt } from '../bench/dataset.ts';
import { arrivals, startPlant } from '../bench/rig.ts';
import type { Rig } from '../bench/rig.ts';
import { forgetPeak, usageOf } from '../bench/usage.ts';
import type { RunningSimulator } from '../kit/simulator.ts';
import { targetSensor } from './peer.ts';
import type { Peer, Running } from './peer.ts';
import { comparison } from './truth.ts';
import type { Truth, Verdict } from './truth.ts';

/** Programs that begin gently get so long until they ask as often as is due. */
const MOST_WARM_UP_MS = 60_000;
/** This share of the polls that are due has to come in before anything is measured. */
const WARM = 0.98;
/** How long the program is away. */
const AWAY_MS = 3_000;
const KILLED = `killed and ${AWAY_MS / 1_000} s away`;
/** How often is looked whether all is made up for, and how long nothing has to change until it is given up. */
const LOOK_MS = 2_000;
const STILL_MS = 30_000;

export interface PollsOptions {
  readonly rig: Rig;
  readonly targets: number;
  readonly seconds: number;
  readonly say: (message: string) => void;
}

/** Small targets, once a second: watched undisturbed, and then with a `kill -9` in the middle of as much time again. */
export async function pollsOf(peer: Peer, { rig, targets, seconds, say }: PollsOptions): Promise<Measure[]> {
  await using stack = new AsyncDisposableStack();
  const plant = await startPlant('small-plant.ts', { grid: true });
  stack.defer(() => plant.stop());
  const running = await peer.polls({ rig, plant: plant.url, targets });
  stack.defer(() => running.stop());
  await warmUp(plant, targets);
  const watched = await watch(running, plant, seconds);
  const due = targets * seconds;
  say(`${peer.name}: ${watched.done} polls of ${due}`);

  const from = now();
  await sleep((seconds * 1_000) / 2);
  const awayFrom = now();
  await running.kill9();
  await sleep(AWAY_MS);
  await running.startAgain();
  const awayTo = now();
  await sleep((seconds * 1_000) / 2);
  const to = now();
  const range = { sensors: Array.from({ length: targets }, (_, index) => targetSensor(index + 1)), from, to };
  const verdict = await settledVerdict(running, range, { from: awayFrom, to: awayTo });
  say(`${peer.name}, killed: ${JSON.stringify(verdict)} of ${Math.round((to - from) / SPACING) * targets} points`);

  const line = (what: string, value: number, unit = ''): Measure => ({ of: peer.name, what, value, unit });
  return [
    line('polls done of polls due', (watched.done * 100) / due, '%'),
    line('CPU of its process a poll', (watched.own * 1_000) / watched.done, 'ms'),
    line('CPU with its storage and Redis a poll', (watched.all * 1_000) / watched.done, 'ms'),
    line('peak RSS of its process', watched.rss, 'MB'),
    line(`${KILLED}: missing`, verdict.missing),
    line('of them points of the time it was away', verdict.missingAway),
    line(`${KILLED}: doubled`, verdict.doubled),
    line(`${KILLED}: wrong`, verdict.wrong),
  ];
}

/** Waits until the targets are asked as often as is due, or for the most time. */
async function warmUp(plant: RunningSimulator, targets: number): Promise<void> {
  const until = performance.now() + MOST_WARM_UP_MS;
  let share = 0;
  while (share < WARM && performance.now() < until) {
    await plant.admin('POST', 'forget');
    await sleep(LOOK_MS);
    const { askedAt } = await arrivals(plant);
    share = Object.values(askedAt).flat().length / ((targets * LOOK_MS) / 1_000);
  }
}

/** The verdict when nothing is missing any more, or when it has stopped to change. */
async function settledVerdict(
  running: Running,
  range: Pick<Truth, 'sensors' | 'from' | 'to'>,
  away: { readonly from: Instant; readonly to: Instant },
): Promise<Verdict> {
  let changedAt = performance.now();
  for (let before: Verdict | undefined; ; await sleep(LOOK_MS)) {
    const compared = comparison({
      ...range,
      spacing: SPACING,
      valueAt: (target, at) => valueAt({ number: target + 1 }, at / SPACING),
    });
    await running.stored(compared.add);
    const verdict = compared.verdict(away);
    if (verdict.missing !== before?.missing) changedAt = performance.now();
    if (verdict.missing === 0 || performance.now() - changedAt > STILL_MS) return verdict;
    before = verdict;
  }
}

async function watch(
  running: Running,
  plant: RunningSimulator,
  seconds: number,
): Promise<{ done: number; own: number; all: number; rss: number }> {
  await plant.admin('POST', 'forget');
  forgetPeak(running.pid());
  const before = running.cpu();
  await sleep(seconds * 1_000);
  const after = running.cpu();
  const { askedAt } = await arrivals(plant);
  return {
    // A target that is asked twice within its second has not been polled twice.
    done: Object.values(askedAt).reduce((sum, asked) => sum + Math.min(asked.length, seconds), 0),
    own: after.own - before.own,
    all: after.all - before.all,
    rss: (usageOf(running.pid())?.peakRssBytes ?? Number.NaN) / 1e6,
  };
}

const now = (): Instant => Date.now() * 1_000;
