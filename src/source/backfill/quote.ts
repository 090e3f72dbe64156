import { configInvalid } from '../../core/errors.ts';
import type { HostPaces } from '../../core/host-pace.ts';
import { DAY, HOUR, MILLISECOND, SECOND, formatInstant } from '../../core/instant.ts';
import type { Instant, Microseconds } from '../../core/instant.ts';
import type { Learned } from '../../core/learn.ts';
import { nextAllowed } from '../../core/quiet-hours.ts';
import { partOf, quoteOf } from '../../core/quote.ts';
import type { Quote, QuotedStream, Seen, Worked } from '../../core/quote.ts';
import { isMapping } from '../../core/source/path.ts';
import type { SourceConfig } from '../../core/source/source.ts';
import { coverageFrom } from '../../database/multirange.ts';
import type { Database } from '../../database/database.ts';
import type { Platform } from '../../platform/contract.ts';
import { parseListed, platformsFor } from '../../platform/platforms-for.ts';
import type { Registry } from '../../platform/registry.ts';
import { learnedOf } from '../../pull/fetch-window.ts';
import { paceAndLiveOf } from '../host-requests.ts';
import { inPieces } from '../in-pieces.ts';
import { shownConfig } from '../shown-config.ts';
import { checkBackfill, chosenStreams, startBackfill } from './start.ts';
import type { WantedBackfill } from './start.ts';

/** A quote for an exact range. */
export interface QuotedBackfill {
  readonly source: string;
  readonly organisation: string;
  readonly from: Instant;
  readonly to: Instant;
  readonly quote: Quote;
  /** Running and paused backfills with time in the range: they share the work. */
  readonly besides: readonly number[];
}

/** A window whose answer is older tells nothing of the platform of today. */
const SHOWN_FOR = '30 days';

/** So many of the newest windows of the source are looked at, whatever their streams are: a source may have a thousand. */
const WINDOWS_SEEN = 50_000;

interface SeenRow extends Seen {
  readonly id: number | null;
  /** Milliseconds a request, sorted: the tenth, the middle and the ninth of ten. */
  readonly worked: readonly [number, number, number] | null;
  readonly live: boolean;
}

/**
 * What the windows of each present stream of the source `$1` showed: those of history where there were some, because they are as long
 * as those of a backfill, otherwise those of live polls.
 */
const SEEN = `
  select stream_id as id, lane = 'live' as live, sum(windows)::float8 as windows, sum(requests)::float8 as requests, sum(bytes)::float8 as bytes,
    sum(readings)::float8 as readings, sum(instant_of(to_at) - instant_of(from_at))::float8 as time,
    percentile_cont(array[0.1, 0.5, 0.9]) within group (order by (http_ms + normalise_ms + store_ms) / greatest(1, requests::float8 / windows)) as worked
  from (
    select * from window_log where source_id = $1 and asked_at > now() - interval '${SHOWN_FOR}' order by asked_at desc limit ${WINDOWS_SEEN}) as newest
  where exists (select from stream where stream.id = stream_id and retired_at is null) group by 1, 2`;

/** The configuration of a source as far as its speed depends on it. */
async function settingsOf(
  database: Database,
  registry: Registry,
  id: number,
): Promise<{ readonly config: SourceConfig; readonly platform: Platform; readonly now: Instant }> {
  const row = await database.row<{ config: unknown; now: Instant }>(
    'select config, instant_of(now()) as now from source where id = $1',
    [id],
  );
  if (row === undefined) throw configInvalid('the source was removed meanwhile', 'databridge source list');
  const shown = await shownConfig(row.config, registry);
  const parsed = await parseListed(shown, await platformsFor(registry, shown), { kinds: registry.kinds });
  if (parsed.ok) return { config: parsed.source, platform: parsed.platform, now: row.now };
  const [problem] = parsed.problems;
  throw configInvalid(`${problem?.path ?? ''}: ${problem?.message ?? ''}`, problem?.remedy ?? 'databridge source show');
}

/**
 * What a backfill would take; nothing is written and the platform is not asked. `comfortable`: the readings that a window should have;
 * `paces`: those of hosts. Throws as `startBackfill` does for what cannot be started.
 */
export async function quoteBackfill(
  database: Database,
  registry: Registry,
  wanted: WantedBackfill,
  comfortable: number,
  paces: HostPaces = new Map(),
): Promise<QuotedBackfill> {
  const checked = await checkBackfill(database, wanted);
  const { id, from, to, name, organisation } = checked;
  const { config, platform, now } = await settingsOf(database, registry, id);
  const url = isMapping(config.connection) ? String(config.connection['url']) : '';
  const [streams, seen, learned, besides, host] = await Promise.all([
    chosenStreams(database, checked, wanted),
    database.rows<SeenRow & Record<string, unknown>>(SEEN, [id]),
    database.rows<{ id: number; learned: Learned | null }>(
      'select id, learned from stream where source_id = $1 and retired_at is null',
      [id],
    ),
    database.rows<{ id: number }>(
      `select id from backfill where source_id = $1 and state in ('running', 'paused') and from_at < at_instant($3) and to_at > at_instant($2) order by id`,
      [id, from, to],
    ),
    URL.canParse(url) ? paceAndLiveOf(database, new URL(url), { listed: registry.platforms, paces }) : undefined,
  ]);
  const learnedBy = new Map(learned.map((row) => [row.id, row.learned]));
  const seenBy = Map.groupBy(seen, (row) => row.id);
  const ofSource = seen.length === 0 ? undefined : sumsOf(seen);
  const bounds = {
    minWindow: platform.facts.minWindow,
    maxWindow: config.schedule.maxWindow,
    align: config.schedule.align,
    comfortable,
  };
  // A source of a thousand streams with a hole on each day has hundreds of thousands of stretches.
  const parts = await inPieces(streams, (stream) => {
    const quoted: QuotedStream = {
      wanted: coverageFrom(stream.wanted as [Instant, Instant][]),
      learned: learnedOf(config.schedule, { learned: learnedBy.get(stream.id) ?? null }),
      seen: seenOf(seenBy.get(stream.id) ?? []),
    };
    return partOf(quoted, bounds, ofSource);
  });
  const live = seen.filter((row) => row.live);
  const perWindow = ratio(sumOf(live, 'requests'), sumOf(live, 'windows'), 1);
  const quote = quoteOf(
    parts,
    {
      requestsPerSecond: config.pace.requestsPerSecond,
      concurrency: config.pace.concurrency,
      liveRequestsPerSecond: (learned.length * perWindow) / (config.schedule.every / SECOND),
      host,
      quietShare: quietShareOf(config.pace.quietHours, now),
      requestsPerDay: wanted.requestsPerDay,
      worked: workedOf(seen),
    },
    ofSource,
  );
  return { source: name, organisation, from, to, quote, besides: besides.map((row) => row.id) };
}

const sumOf = (rows: readonly Seen[], field: keyof Seen): number => rows.reduce((sum, row) => sum + row[field], 0);

const ratio = (part: number, whole: number, otherwise: number): number => (whole > 0 ? part / whole : otherwise);

/** Of the rows of a stream those of history, where it has some, else the live ones. */
const seenOf = (own: readonly SeenRow[]): Seen | undefined => own.find(({ live }) => !live) ?? own[0];

/** All windows of a source, for its streams that have none yet. */
const sumsOf = (rows: readonly SeenRow[]): Seen => ({
  windows: sumOf(rows, 'windows'),
  requests: sumOf(rows, 'requests'),
  bytes: sumOf(rows, 'bytes'),
  readings: sumOf(rows, 'readings'),
  time: sumOf(rows, 'time'),
});

function workedOf(rows: readonly SeenRow[]): Worked | undefined {
  const history = rows.filter(({ live }) => !live);
  const shown = (history.length > 0 ? history : rows).flatMap(({ worked, windows }) =>
    worked === null ? [] : [{ worked, windows }],
  );
  const windows = shown.reduce((sum, one) => sum + one.windows, 0);
  if (windows === 0) return undefined;
  const at = (place: 0 | 1 | 2): Microseconds =>
    (shown.reduce((sum, one) => sum + one.worked[place] * one.windows, 0) / windows) * MILLISECOND;
  return { least: at(0), usual: at(1), most: at(2) };
}

/** The part of the coming week that is quiet, in steps of a quarter of an hour. */
function quietShareOf(quiet: SourceConfig['pace']['quietHours'], now: Instant): number {
  if (quiet.length === 0) return 0;
  const step = HOUR / 4;
  let quietSteps = 0;
  const steps = (7 * DAY) / step;
  for (let place = 0; place < steps; place += 1) {
    const at = now + place * step;
    if (nextAllowed(quiet, at) !== at) quietSteps += 1;
  }
  return quietSteps / steps;
}

/** Starts a backfill, and keeps beside it what was to be expected. Returns its id. Takes and throws what both halves do. */
export async function startQuoted(
  database: Database,
  registry: Registry,
  { requestedBy, ...wanted }: WantedBackfill & { readonly requestedBy: string },
  ...bounds: [comfortable: number, paces: HostPaces]
): Promise<number> {
  const { from, to, quote } = await quoteBackfill(database, registry, wanted, ...bounds);
  return await startBackfill(database, { ...wanted, from, to, quote, requestedBy });
}

/** A quote as a JSON document, with each instant as text. */
export const quoteDocument = ({ from, to, quote, besides, ...named }: QuotedBackfill) => ({
  ...named,
  from: formatInstant(from),
  to: formatInstant(to),
  ...quote,
  besides: [...besides],
});
