import type { Sealing } from '../../src/access/sealing.ts';
import { DAY, HOUR, MILLISECOND, MINUTE, formatInstant } from '../../src/core/instant.ts';
import type { Instant, Microseconds } from '../../src/core/instant.ts';
import type { Window } from '../../src/core/window.ts';
import type { Database } from '../../src/database/database.ts';
import type { KindName } from '../../src/platform/contract.ts';
import { millisOf } from '../../src/simulator/instants.ts';
import type { TruthSpec } from '../../src/simulator/truth.ts';
import { startBackfill } from '../../src/source/backfill/start.ts';
import type { Subject } from '../conformance/kit/subject.ts';
import { changesIn } from '../kit/time-changes.ts';
import { judge } from './judge.ts';
import { plantOf } from './plants.ts';
import { openSite } from './site.ts';
import type { Site } from './site.ts';
import { LOGIN_PATH, TROUBLES } from './troubles.ts';
import type { Trouble } from './troubles.ts';

/** A row of the table: a platform by one kind of credentials. */
export interface Row {
  readonly platform: string;
  readonly kind: string;
  readonly points: number;
  readonly requests: number;
  /** Troubles that hit a request, and those that were tried. */
  readonly faults: { readonly met: number; readonly tried: number };
  readonly lost: number;
  readonly doubled: number;
  /** A few lost and doubled points, or the reason why the row came to no end. */
  readonly notes: readonly string[];
}

/** How long a row takes, in the time of its platform. */
export interface Scale {
  /** The length of the backfill, around a change of the clocks. */
  readonly backfill: Microseconds;
  /** The source is polled for this time without trouble. */
  readonly live: Microseconds;
  /** Between two troubles. */
  readonly trouble: Microseconds;
  readonly troubles: readonly Trouble[];
  /** Between two points of a key. */
  readonly point: Microseconds;
  /** Instead of the interval of the sample. */
  readonly every?: string;
}

/** A week is backfilled, and a day is troubled. */
export const WHOLE: Scale = {
  backfill: 7 * DAY,
  live: 4 * HOUR,
  trouble: HOUR,
  troubles: TROUBLES,
  point: MINUTE / 2,
  every: '5m',
};

/** A day is backfilled, and a few of the troubles last for minutes. */
export const SHORT: Scale = {
  backfill: DAY,
  live: 10 * MINUTE,
  trouble: 20 * MINUTE,
  troubles: TROUBLES.filter(({ brief }) => brief),
  point: 10 * MINUTE,
  every: '5m',
};

/** The clocks of Berlin are put back: local times from 2 to 3 come twice. */
const CHANGE = changesIn('Europe/Berlin', 2026)[1] as Instant;

/** This part of the points shows up later than its instant, by less than every platform is asked again for. */
const LATE = { share: 0.05, delayMs: 90_000 };

/** The span of all that a row stores, for `openModelDatabase`. */
export const spanOf = ({ backfill, live, trouble, troubles }: Scale): Window => ({
  from: CHANGE - backfill,
  to: CHANGE + backfill + live + trouble * troubles.length + 10 * DAY,
});

/** Runs a platform through backfill, live polls and troubles. `tell` is called as each part begins. */
export async function runRow(
  ground: { readonly database: Database; readonly sealing: Sealing },
  subject: Subject,
  { kind, scale, tell }: { readonly kind: KindName; readonly scale: Scale; readonly tell: (part: string) => void },
): Promise<Row> {
  const { product, platform } = subject;
  const plant = plantOf(product, scale.point / MILLISECOND);
  const from = CHANGE - scale.backfill / 2;
  const start = from + scale.backfill;
  const begin = start + HOUR;
  const truth: TruthSpec = {
    seed: 7,
    firstMs: millisOf(from - HOUR),
    liveFromMs: millisOf(begin),
    late: LATE,
    devices: plant.devices,
  };
  const { every } = scale;
  const site = await openSite(ground, subject, { kind, truth, simulator: plant.simulator ?? {}, begin, start, every });
  const tried = scale.troubles.filter((trouble) => site.hasTokens || !trouble.endsTokens);
  const notes: string[] = [];
  let met = 0;
  try {
    try {
      tell('live');
      await site.workUntil(begin + scale.live);
      tell('backfill');
      await startBackfill(site.database, { source: site.source, from, to: start, requestedBy: 'test' });
      await untilCovered(site, { from, to: site.now() - HOUR }, scale.trouble);
      tell('faults');
      for (const trouble of tried) {
        if (await meets(site, trouble, scale.trouble)) met += 1;
        else notes.push(`no request met: ${trouble.what}`);
      }
    } catch (error) {
      notes.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
    }
    tell('rest');
    const settled = site.now();
    notes.push(...(await untilCovered(site, { from, to: settled }, scale.trouble)));
    const verdict = await judge(site.database, { product, plant, truth }, { from, settled, now: site.now() });
    const { points, lost, doubled, examples } = verdict;
    const faults = { met, tried: tried.length };
    const counted = { points, requests: site.requests(), faults, lost, doubled };
    return { platform: platform.name, kind, ...counted, notes: [...notes, ...examples] };
  } finally {
    await site.close();
  }
}

/** Lets a trouble begin, and end in the middle of its hour. @returns whether it hit a request */
async function meets(site: Site, { fault, where, endsTokens }: Trouble, length: Microseconds): Promise<boolean> {
  const begin = site.now();
  const { simulator, authorisation } = site;
  const server = where === 'logins' ? (authorisation ?? simulator) : simulator;
  const id = server.faults.switchOn({ ...fault, ...(where === 'logins' && { match: LOGIN_PATH }) });
  if (endsTokens) simulator.platform.invalidateTokens('all');
  await site.workUntil(begin + length / 2);
  const hits = server.faults.list().find((one) => one.id === id)?.hits ?? 0;
  server.faults.switchOff(id);
  await site.workUntil(begin + length);
  return hits > 0;
}

/** Longer than any wait of the bridge after a failure. */
const MOST_ROUNDS = 48;

/** Works until all streams have covered a range and late points had their time. @returns time that is still lacking, in words */
async function untilCovered(site: Site, { from, to }: Window, step: Microseconds): Promise<string[]> {
  let lacking: string[] = [];
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    await site.workUntil(site.now() + step);
    lacking = await lackingIn(site, { from, to });
    if (lacking.length === 0) return [];
  }
  return lacking;
}

async function lackingIn({ database }: Site, { from, to }: Window): Promise<string[]> {
  const rows = await database.rows<{ stream: string; lacks: string; fault: string | null }>(
    `select key as stream, lacks::text, coalesce(stream.last_fault, source.last_fault) ->> 'message' as fault
     from source left join stream on source.id = source_id and retired_at is null,
       lateral (select tstzmultirange(tstzrange(at_instant($1), at_instant($2))) - coalesce(covered, '{}') as lacks) as open
     where lacks <> '{}'`,
    [from, to],
  );
  return rows.map(
    ({ stream, lacks, fault }) => `${stream ?? formatInstant(to)} lacks ${lacks}: ${fault ?? 'no fault'}`,
  );
}
