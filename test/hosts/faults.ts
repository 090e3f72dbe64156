import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { printLine } from '../../src/terminal/output.ts';
import { eventually } from '../chaos/eventually.ts';
import { differenceOf, expectComplete, isLive, stateOf } from '../chaos/site.ts';
import { isInstalled } from '../kit/installed.ts';
import { assertNothingLeaked } from '../kit/leaks.ts';
import { setup as makeRunDirectory } from '../kit/run-directory.ts';
import { mostInAnySecond } from '../kit/sliding-second.ts';
import { APIS, WORKERS, openGround } from './ground.ts';
import type { BridgeHost, DatabaseHost, Ground } from './ground.ts';
import { flush, killMaster } from './redis-cluster.ts';
import { isExact, tableOf } from './report.ts';
import type { Row } from './report.ts';

/** Later points may still be on their way into a window. */
const SETTLED_US = 20_000_000;

/** Longer than the silence that frees claims (12 s) and than a job's lock in the queue (20 s). */
const AWAY_MS = 30_000;
const LOST_PERCENT = 5;
const LOSING = [...WORKERS, ...APIS, 'db1'] as const;

/** What a packet takes, ms: as between continents, and never the same. */
const DELAY_MS = { least: 60, most: 140 };

/** Clocks as `faketime` has them: behind, ahead, and faster by one in a hundred. */
const CLOCKS: readonly (readonly [BridgeHost, string])[] = [
  ['w1', '-5s'],
  ['w2', '+5s'],
  ['w3', '+0s x1.01'],
  ['a1', '+5s'],
];

/** Steps of the database's clock: beyond what hosts may differ from it (10 s), and within. */
const DATABASE_CLOCKS: readonly (readonly [seconds: number, words: string])[] = [
  [300, '5 minutes ahead'],
  [-300, '5 minutes behind'],
  [8, '8 s ahead'],
  [-8, '8 s behind'],
];

/** An API first, because from its start on the APIs of an earlier schema are gone. */
const UPGRADED: readonly BridgeHost[] = ['a1', ...WORKERS, 'a2'];

/** The exit code of a process of the bridge that finds a database of another version. */
const OTHER_VERSION = 2;

interface Fault {
  readonly name: string;
  /** Resolves when the fault is there; the bridge has to be live again from then on. */
  readonly strike: () => Promise<unknown>;
  /** Brings back what comes back. */
  readonly mend?: () => Promise<unknown>;
  /** It can happen again and again. */
  readonly again?: true;
  /** Only where a word names it, because the standby can be promoted once in a run. */
  readonly onlyNamed?: true;
  /** A program that it needs; without it the fault is left out. */
  readonly needs?: string;
}

/** What is played. */
export interface Play {
  /** Only faults whose names hold one of these words; all where there is none. */
  readonly words: readonly string[];
  /** Afterwards those that can happen again, by chance, for so long. */
  readonly minutes: number;
  /** The commit from which all hosts are upgraded first; undefined: none is. */
  readonly from: string | undefined;
}

/** Plays faults and prints their table. @returns whether everything was exact, polite and live again in time */
export async function playFaults(prefix: string, asked: Play): Promise<boolean> {
  const removeRunDirectory = await makeRunDirectory();
  try {
    const ground = await openGround(prefix, asked.from);
    let isRight = false;
    try {
      isRight = await play(ground, asked);
    } finally {
      await ground.close();
    }
    assertNothingLeaked();
    return isRight;
  } finally {
    await removeRunDirectory();
  }
}

async function play(ground: Ground, { words, minutes, from }: Play): Promise<boolean> {
  const { site, client, recorder, pusher } = ground;
  const rows: Row[] = [];
  await expectComplete(site, client);
  const chosen = faultsOf(ground)
    .filter(({ name, onlyNamed }) => (words.length === 0 ? !onlyNamed : words.some((word) => name.includes(word))))
    .filter(({ name, needs }) => {
      const isHere = needs === undefined || isInstalled(needs);
      if (!isHere) printLine(`left out, because ${needs} is not on this machine: ${name}`);
      return isHere;
    });
  const upgrades = from === undefined ? [] : [upgradeFrom(from, ground)];
  // What was found is told, also where a later fault cannot be played.
  await using stack = new AsyncDisposableStack();
  stack.defer(() => printLine(tableOf(rows)));
  for (const { name, strike, mend } of inTurn([...upgrades, ...chosen], minutes)) {
    const before = recorder.requests.length;
    await strike();
    const struckUs = Date.now() * 1000;
    const begun = performance.now();
    await eventually(`live after: ${name}`, () => isLive(client, struckUs), { state: () => stateOf(client) });
    const liveAgainMs = performance.now() - begun;
    await mend?.();
    await expectComplete(site, client);
    const asked = recorder.requests.slice(before).map(({ at }) => at);
    const settledUs = Date.now() * 1000 - SETTLED_US;
    const difference = await differenceOf(site, client, { fromUs: site.startUs, toUs: settledUs });
    const [row] = (await client.query<{ count: number }>('select count(*)::int as count from reading')).rows;
    const stored = row?.count ?? 0;
    const pushed = pusher.acknowledged();
    const lostPushes = await pusher.lost(client);
    rows.push({
      fault: name,
      liveAgainMs,
      busiestSecond: mostInAnySecond(asked),
      stored,
      difference,
      pushed,
      lostPushes,
    });
    process.stderr.write(`${name}: done\n`);
  }
  return rows.every(isExact);
}

/** The faults, then those that can happen again, in an order by chance. */
function* inTurn(faults: readonly Fault[], minutes: number): Generator<Fault> {
  yield* faults;
  const again = faults.filter((fault) => fault.again === true);
  const until = Date.now() + minutes * 60_000;
  while (Date.now() < until && again.length > 0) yield again[randomInt(again.length)] as Fault;
}

/** Host by host; the process of another host goes on beside the new version, or ends because the schema is another one. */
const upgradeFrom = (commit: string, { running, start }: Ground): Fault => ({
  name: `all hosts are upgraded from ${commit}, one after the other`,
  strike: async () => {
    for (const [place, host] of UPGRADED.entries()) {
      await start(host);
      for (const other of UPGRADED.slice(place + 1)) {
        const process = running.get(other);
        if (process?.running() === true) continue;
        const exit = await process?.exited;
        if (exit?.code !== OTHER_VERSION)
          throw new Error(`the earlier version on ${other} ended with ${JSON.stringify(exit)}\n${process?.output()}`);
      }
    }
  },
});

function faultsOf({ network, redis, pair, pusher, running, start, setClockOf, client }: Ground): readonly Fault[] {
  /** Resolves when the clock is right again, from when on hosts that polled nothing because of it have to poll. */
  const wrongFor = async (host: DatabaseHost, seconds: number): Promise<void> => {
    await setClockOf(host, `${seconds < 0 ? '' : '+'}${seconds}s`);
    await eventually(`heartbeats ${seconds} s off`, () => beatsAreOff(client, seconds), {
      state: () => stateOf(client),
    });
    await sleep(AWAY_MS);
    await setClockOf(host, '+0s');
  };
  const slow: (() => Promise<void>)[] = [];
  return [
    { name: 'none', strike: () => sleep(1_000) },
    {
      name: 'a worker host vanishes',
      strike: async () => network.cut('w1'),
      mend: async () => {
        await running.get('w1')?.kill9();
        network.join('w1');
        await start('w1');
      },
      again: true,
    },
    {
      name: `the host of an API vanishes for ${AWAY_MS / 1000} s`,
      strike: async () => {
        network.cut('a1');
        const before = pusher.acknowledged();
        await eventually('pushes are taken', () => Promise.resolve(pusher.acknowledged() > before));
      },
      mend: async () => {
        await sleep(AWAY_MS);
        network.join('a1');
      },
      again: true,
    },
    {
      name: `${LOST_PERCENT} of 100 packets of workers, APIs and the database are lost for ${AWAY_MS / 1000} s`,
      strike: async () => {
        for (const name of LOSING) network.lose(name, LOST_PERCENT);
      },
      mend: async () => {
        await sleep(AWAY_MS);
        for (const name of LOSING) network.keep(name);
      },
      again: true,
      needs: 'nft',
    },
    {
      name: `packets of workers and APIs take ${DELAY_MS.least} to ${DELAY_MS.most} ms each way for ${AWAY_MS / 1000} s`,
      strike: async () => {
        for (const host of [...WORKERS, ...APIS]) slow.push(await network.delay(host, DELAY_MS.least, DELAY_MS.most));
      },
      mend: async () => {
        await sleep(AWAY_MS);
        for (const end of slow.splice(0)) await end();
      },
      again: true,
      needs: 'socat',
    },
    {
      name: `clocks of three workers and an API are up to 5 s behind and ahead, and drift, for ${AWAY_MS / 1000} s`,
      strike: async () => {
        for (const [host, clock] of CLOCKS) await start(host, clock);
      },
      mend: async () => {
        await sleep(AWAY_MS);
        for (const [host] of CLOCKS) await start(host);
      },
      again: true,
      needs: 'faketime',
    },
    {
      name: `a worker host is cut off for ${AWAY_MS / 1000} s and goes on`,
      strike: async () => network.cut('w2'),
      mend: async () => {
        await sleep(AWAY_MS);
        network.join('w2');
      },
      again: true,
    },
    {
      name: `a worker host is not heard for ${AWAY_MS / 1000} s`,
      strike: async () => network.mute('w3', ['plant', 'db1', 'db2']),
      mend: async () => {
        await sleep(AWAY_MS);
        network.unmute('w3', ['plant', 'db1', 'db2']);
      },
      again: true,
    },
    ...DATABASE_CLOCKS.map(([seconds, words]): Fault => ({
      name: `the clock of the primary is ${words} for ${AWAY_MS / 1000} s`,
      strike: () => wrongFor('db1', seconds),
      needs: 'faketime',
    })),
    { name: 'a Redis master dies', strike: () => killMaster(redis) },
    { name: 'Redis is flushed', strike: () => flush(redis), again: true },
    {
      name: 'the host of the primary vanishes, the standby is promoted',
      strike: async () => {
        network.cut('db1');
        await pair.promote();
      },
      mend: async () => {
        // It comes back as it was, answers, and acknowledges no write; then it is fenced.
        network.join('db1');
        await sleep(10_000);
        await pair.killPrimary();
      },
    },
    {
      name: `a standby takes over whose clock is 5 minutes behind for ${AWAY_MS / 1000} s`,
      strike: async () => {
        await setClockOf('db2', '-300s');
        await pair.failOver();
        await wrongFor('db2', -300);
      },
      onlyNamed: true,
      needs: 'faketime',
    },
  ];
}

/** Whether the heartbeats of all living workers are off by so much, and each worker whose clock disagrees with the database's has told it. */
async function beatsAreOff(client: pg.Client, seconds: number): Promise<boolean> {
  const { rows } = await client.query<{ count: number }>(
    `select count(*)::int as count from worker
     where extract(epoch from beat_at) - $1::float8 between $2::float8 - 5 and $2::float8 + 1
       and (clock_ahead_us is not null) = (abs($2) > 10)`,
    [Date.now() / 1000, seconds],
  );
  return (rows[0]?.count ?? 0) >= WORKERS.length;
}
