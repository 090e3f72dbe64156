import { setTimeout as sleep } from 'node:timers/promises';
import { createOperatorToken } from '../../src/access/operator-tokens.ts';
import { createOperator } from '../../src/access/operators.ts';
import type { Database } from '../../src/database/database.ts';
import type { RunningProcess } from '../kit/process.ts';
import type { Measure } from './bench.ts';
import { forgetPeak, usageOf } from './usage.ts';

const VIEWERS = 50;
/** One operator may have six streams of events open. */
const OPERATORS = 10;

/** What an open page asks by itself, and how often, ms: half of the viewers look at the overview, half at the list of sources. */
const PAGES: readonly (readonly (readonly [path: string, everyMs: number])[])[] = [
  [
    ['/overview', 4_000],
    ['/backfills?state=running&limit=5', 15_000],
  ],
  [['/sources?sort=trouble&limit=20', 10_000]],
];

/** What 50 viewers with an open page cost `up`, beside what it costs without any. */
export async function costOfViewers(
  { database, api, up }: { readonly database: Database; readonly api: string; readonly up: RunningProcess },
  seconds: number,
): Promise<Measure[]> {
  const tokens: string[] = [];
  for (let at = 0; at < OPERATORS; at += 1) {
    const operator = `watcher-${at}`;
    await createOperator(database, { name: operator, role: 'viewer', organisations: undefined }, 'bench');
    tokens.push((await createOperatorToken(database, { operator, name: 'bench', days: 1 }, 'bench')).token);
  }
  const used = async () => {
    forgetPeak(up.pid);
    const before = usageOf(up.pid)?.cpuSeconds ?? Number.NaN;
    await sleep(seconds * 1_000);
    const { cpuSeconds = Number.NaN, peakRssBytes = Number.NaN } = usageOf(up.pid) ?? {};
    return { share: (100 * (cpuSeconds - before)) / seconds, megabytes: peakRssBytes / 1e6 };
  };
  const alone = await used();
  const leaving = new AbortController();
  const viewers = Array.from({ length: VIEWERS }, (_, at) =>
    view(api, { at, token: tokens[at % OPERATORS] as string, signal: leaving.signal }),
  );
  // The first requests of all pages are no part of watching.
  await sleep(5_000);
  const watched = await used();
  leaving.abort();
  const refused = (await Promise.all(viewers)).reduce((sum, one) => sum + one, 0);
  return [
    {
      what: 'CPU of up for 50 viewers',
      value: watched.share - alone.share,
      unit: '% of a core',
      aim: { atMost: 5 },
      note: `${watched.share.toFixed(1)} % with them, ${alone.share.toFixed(1)} % alone${refused > 0 ? `; ${refused} requests refused` : ''}`,
    },
    {
      what: 'memory of up for 50 viewers',
      value: watched.megabytes - alone.megabytes,
      unit: 'MB',
      aim: { atMost: 50 },
      note: `peak ${watched.megabytes.toFixed(0)} MB`,
    },
  ];
}

/** A page that is open: its stream of events, and what it asks by itself. Returns how many requests were refused. */
async function view(
  api: string,
  { at, token, signal }: { readonly at: number; readonly token: string; readonly signal: AbortSignal },
): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, 'x-databridge-unattended': 'true' };
  let refused = 0;
  const read = async (path: string): Promise<void> => {
    const answer = await fetch(`${api}${path}`, { headers, signal });
    if (answer.status >= 400) refused += 1;
    for await (const part of answer.body ?? []) void part;
  };
  const again = async (path: string, everyMs: number): Promise<void> => {
    await sleep((everyMs * at) / VIEWERS, undefined, { signal });
    for (;;) {
      await read(path);
      await sleep(everyMs, undefined, { signal });
    }
  };
  const page = PAGES[Math.floor(at / OPERATORS) % PAGES.length] ?? [];
  await Promise.allSettled([read('/events'), ...page.map(([path, everyMs]) => again(path, everyMs))]);
  return refused;
}
