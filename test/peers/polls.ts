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

/** Every target was asked a few times before anything is measured. */
const WARM_UP_MS = 8_000;
/** How long the program is away. */
const AWAY_MS = 3_000;
/** Longer than claims of a worker that died (12 s) and the next poll of each target. */
const GRACE_MS = 20_000;

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
  await sleep(WARM_UP_MS);
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
  await sleep(GRACE_MS);
  const compared = comparison({
    sensors: Array.from({ length: targets }, (_, index) => targetSensor(index + 1)),
    from,
    to,
    spacing: SPACING,
    valueAt: (target, at) => valueAt({ number: target + 1 }, at / SPACING),
  });
  await running.stored(compared.add);
  const verdict = compared.verdict({ from: awayFrom, to: awayTo });
  say(`${peer.name}, killed: ${JSON.stringify(verdict)} of ${Math.round((to - from) / SPACING) * targets} points`);

  const line = (what: string, value: number, unit = ''): Measure => ({ of: peer.name, what, value, unit });
  return [
    line('polls done of polls due', (watched.done * 100) / due, '%'),
    line('CPU of its process a poll', (watched.own * 1_000) / watched.done, 'ms'),
    line('CPU with its storage and Redis a poll', (watched.all * 1_000) / watched.done, 'ms'),
    line('peak RSS of its process', watched.rss, 'MB'),
    line('killed and 3 s away: missing', verdict.missing),
    line('of them points of the time it was away', verdict.missingAway),
    line('killed and 3 s away: doubled', verdict.doubled),
    line('killed and 3 s away: wrong', verdict.wrong),
  ];
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
