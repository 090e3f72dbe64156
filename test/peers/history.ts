import { setTimeout as sleep } from 'node:timers/promises';
import type { Measure } from '../bench/bench.ts';
import { SPACING, valueAt } from '../bench/dataset.ts';
import { forgetPeak, usageOf } from '../bench/usage.ts';
import type { HistoryJob, Peer, RunningHistory } from './peer.ts';
import { comparison } from './truth.ts';
import type { Verdict } from './truth.ts';

const LOOK_MS = 50;
/** What is not stored so long after the start again, will not be. */
const MOST_MS = 120_000;

/** A past out of the real InfluxDB: once undisturbed, and once with a `kill -9` after half the time that this took. */
export async function historyOf(peer: Peer, job: HistoryJob, say: (message: string) => void): Promise<Measure[]> {
  if (typeof peer.history === 'string') return [];
  const points = job.dataset.series.length * job.dataset.pointsPerSeries;
  const whole = await peer.history(job);
  const undisturbed = await finishing(whole, async () => {
    // A program that begins with its process is measured from then on, without its start.
    await whole.begin();
    forgetPeak(whole.pid());
    const before = whole.cpu();
    const begun = performance.now();
    await untilDone(whole);
    const seconds = (performance.now() - begun) / 1_000;
    const after = whole.cpu();
    return {
      seconds,
      own: after.own - before.own,
      all: after.all - before.all,
      rss: (usageOf(whole.pid())?.peakRssBytes ?? Number.NaN) / 1e6,
      verdict: await verdictOf(whole, job),
    };
  });
  say(`${peer.name}: ${points} points in ${undisturbed.seconds.toFixed(1)} s, ${JSON.stringify(undisturbed.verdict)}`);

  const struck = await peer.history(job);
  const killed = await finishing(struck, async () => {
    await struck.begin();
    await sleep((undisturbed.seconds * 1_000) / 2);
    const early = !(await struck.done());
    await struck.kill9();
    const begun = performance.now();
    await struck.startAgain();
    await untilDone(struck);
    return { early, seconds: (performance.now() - begun) / 1_000, verdict: await verdictOf(struck, job) };
  });
  say(`${peer.name}, killed: ${killed.seconds.toFixed(1)} s more, ${JSON.stringify(killed.verdict)}`);
  if (!killed.early) say(`${peer.name} was done before it was killed: give it more points`);

  const line = (what: string, value: number, unit = ''): Measure => ({ of: peer.name, what, value, unit });
  const { seconds, own, all, rss, verdict } = undisturbed;
  return [
    line('points a second', points / seconds),
    line('CPU of its process for a million', own / (points / 1e6), 's'),
    line('CPU with PostgreSQL and Redis for a million', all / (points / 1e6), 's'),
    line('peak RSS of its process', rss, 'MB'),
    line('missing, doubled or wrong without a kill', wrongIn(verdict)),
    line('killed half-way: missing', killed.verdict.missing),
    line('killed half-way: doubled', killed.verdict.doubled),
    line('killed half-way: wrong', killed.verdict.wrong),
    line('killed half-way: from the start again to all', killed.verdict.missing > 0 ? Number.NaN : killed.seconds, 's'),
  ];
}

const wrongIn = ({ missing, doubled, wrong }: Verdict): number => missing + doubled + wrong;

/** Stops the peer after the work, also where that throws. */
async function finishing<Result>(running: RunningHistory, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } finally {
    await running.stop();
  }
}

/** Returns also where the peer is never done; what is missing shows then. */
async function untilDone(running: RunningHistory): Promise<void> {
  const until = performance.now() + MOST_MS;
  while (performance.now() < until && !(await running.done())) await sleep(LOOK_MS);
}

async function verdictOf(running: RunningHistory, { dataset }: HistoryJob): Promise<Verdict> {
  const { series, from, to } = dataset;
  const compared = comparison({
    sensors: series.map(({ sensorId }) => sensorId),
    from,
    to,
    spacing: SPACING,
    valueAt: (sensor, at) => valueAt({ number: series[sensor]?.number ?? -1 }, (at - from) / SPACING),
  });
  await running.stored(compared.add);
  return compared.verdict();
}
