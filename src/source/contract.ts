import { BridgeError, configInvalid } from '../core/errors.ts';
import { paceOfHost } from '../core/host-pace.ts';
import type { HostPaces } from '../core/host-pace.ts';
import { DAY, HOUR, MINUTE, SECOND, formatInstant, parseInstant } from '../core/instant.ts';
import type { Instant } from '../core/instant.ts';
import { nextAllowed } from '../core/quiet-hours.ts';
import type { QuietHours } from '../core/quiet-hours.ts';
import { isMapping } from '../core/source/path.ts';
import type { SourceName } from '../core/source/source-name.ts';
import type { SourceConfig } from '../core/source/source.ts';
import type { Database } from '../database/database.ts';
import { parseListed, platformsFor } from '../platform/platforms-for.ts';
import type { Registry } from '../platform/registry.ts';
import type { FoundSource } from './find-source.ts';
import { HIDDEN, shownConfig } from './shown-config.ts';
import { unknownSource } from './unusable-source.ts';

type Known = { readonly database: Database; readonly registry: Registry };

/** What the bridge promises to those who run the platform of a source. Lengths of time in seconds. */
export interface Contract {
  readonly source: string;
  readonly organisation: string;
  readonly platform: string;
  /** The origins that requests go to. */
  readonly hosts: readonly string[];
  /** Those of them that have a pace, which all sources of the bridge share; requests a second. */
  readonly hostPaces: readonly { readonly host: string; readonly perSecond: number }[];
  /** Each field of the credentials; a secret has no value. */
  readonly credentials: readonly { readonly field: string; readonly value: string | null }[];
  readonly requests: {
    readonly perSecond: number;
    readonly burst: number;
    /** In any second, whichever. */
    readonly inASecond: number;
    readonly inADay: number;
    readonly atATime: number;
  };
  readonly quietHours: readonly QuietHours[];
  readonly everySeconds: number;
  readonly longestWindowSeconds: number;
  readonly longestSilenceSeconds: number;
  /** The bytes of a day on average over the last seven; no limit is agreed. Null before the first day. */
  readonly bytesInADay: number | null;
}

async function configOf({ database, registry }: Known, source: FoundSource): Promise<SourceConfig> {
  const row = await database.row<{ config: unknown }>('select config from source where id = $1', [source.id]);
  if (row === undefined) throw unknownSource(source);
  const shown = await shownConfig(row.config, registry);
  const parsed = await parseListed(shown, await platformsFor(registry, shown), registry);
  if (parsed.ok) return parsed.source;
  const [problem] = parsed.problems;
  throw new BridgeError({ code: 'config-invalid' }, `${problem?.path ?? ''}: ${problem?.message ?? ''}`, {
    remedy: problem?.remedy,
  });
}

/**
 * `paces`: those of hosts, which this process keeps. Throws `config-invalid` for a source that was removed meanwhile, and for a
 * configuration that this version does not understand.
 */
export async function contractOf(known: Known, source: FoundSource, paces: HostPaces = new Map()): Promise<Contract> {
  const config = await configOf(known, source);
  const { pace, schedule } = config;
  const connection = isMapping(config.connection) ? config.connection : {};
  const isAddress = (value: unknown): value is string => typeof value === 'string' && /^https?:/.test(value);
  const measured = await known.database.row<{ bytes: number | null }>(
    `select (sum(bytes) / greatest(1, extract(epoch from now() - min(hour)) / 86400))::float8 as bytes from window_sum
     where source_id = $1 and hour > now() - interval '7 days'`,
    [source.id],
  );
  const urls = Object.values(connection)
    .filter(isAddress)
    .map((url) => new URL(url));
  const paced = urls.flatMap((url) => paceOfHost(paces, url) ?? []);
  return {
    source: source.name,
    organisation: source.organisation,
    platform: config.platform,
    hosts: [...new Set(urls.map(({ origin }) => origin))],
    hostPaces: [...new Map(paced.map(({ host, pace }) => [host, pace.requestsPerSecond]))].map(([host, perSecond]) => ({
      host,
      perSecond,
    })),
    credentials: Object.entries(connection)
      .filter(([, value]) => !isAddress(value))
      .map(([field, value]) => ({ field, value: value === HIDDEN ? null : String(value) })),
    requests: {
      perSecond: pace.requestsPerSecond,
      burst: pace.burst,
      inASecond: Math.floor(pace.burst + pace.requestsPerSecond),
      inADay: Math.floor(pace.burst + (pace.requestsPerSecond * DAY) / SECOND),
      atATime: pace.concurrency,
    },
    quietHours: pace.quietHours,
    everySeconds: schedule.every / SECOND,
    longestWindowSeconds: schedule.maxWindow / SECOND,
    longestSilenceSeconds: pace.longestSilence / SECOND,
    bytesInADay: typeof measured?.bytes === 'number' ? Math.round(measured.bytes) : null,
  };
}

/** A time in which the promise was not kept: an hour, with `minute` a single minute, with `second` a second in that minute. */
export interface BrokenHour {
  readonly hour: string;
  readonly what: 'rate' | 'minute' | 'second' | 'quiet-hours';
  readonly requests: number;
  readonly allowed: number;
}

/** What the bridge did in a month against the contract of today. */
export interface Receipt extends SourceName {
  readonly month: string;
  readonly from: string;
  /** The end of the month, or now where it is not over. */
  readonly to: string;
  /**
   * From here on each request is counted in the hour and minute of its slot: those of windows, looks, checks and logins, failed ones
   * too. Before, those of windows that were stored are, in the hour in which the window was begun. Null: the whole month is so.
   */
  readonly countedFrom: string | null;
  readonly requests: number;
  readonly requestsInADay: number;
  /** The requests since `countedFrom` by what they were for; null where there is none. */
  readonly kinds: Readonly<Record<CountedKind, number>> | null;
  readonly bytes: number;
  readonly windows: number;
  readonly readings: number;
  readonly busiestHour: { readonly hour: string; readonly requests: number; readonly allowed: number } | null;
  /** Since `countedFrom`. */
  readonly busiestMinute: { readonly minute: string; readonly requests: number; readonly allowed: number } | null;
  /** A second of the clock, and the minute in which it lies, since `countedFrom`. One that was given a slot and then not sent counts, too. */
  readonly busiestSecond: { readonly minute: string; readonly requests: number; readonly allowed: number } | null;
  readonly broken: readonly BrokenHour[];
}

const KINDS = ['live', 'history', 'look', 'login', 'failed'] as const;
type CountedKind = (typeof KINDS)[number];

interface Hour extends Readonly<Record<CountedKind, number>> {
  readonly hour: Instant;
  /** Those of stored windows, as their sums have them. */
  readonly ofWindows: number;
  readonly bytes: number;
  readonly windows: number;
  readonly readings: number;
  readonly fullest: number;
  readonly fullestAt: Instant | null;
  readonly second: number | null;
  readonly secondAt: Instant | null;
}

/** The first hour of a source may have been counted in part. */
const COUNTED_FROM = `select instant_of(min(hour)) + ${HOUR} as "countedFrom" from request_hour where source_id = $1`;

const HOURS = `
  with summed as (
    select hour, sum(requests) as requests, sum(bytes) as bytes, sum(windows) as windows, sum(readings) as readings
    from window_sum where source_id = $1 and hour >= at_instant($2) and hour < at_instant($3) group by hour),
  counted as (
    select * from request_hour where source_id = $1 and hour >= at_instant($2) and hour < at_instant($3))
  select instant_of(hour) as hour, coalesce(requests, 0)::float8 as "ofWindows", coalesce(bytes, 0)::float8 as bytes,
    coalesce(windows, 0)::float8 as windows, coalesce(readings, 0)::float8 as readings,
    ${KINDS.map((kind) => `coalesce(${kind}, 0) as ${kind}`).join(', ')}, coalesce(fullest, 0) as fullest, instant_of(fullest_at) as "fullestAt",
    fullest_second as second, instant_of(fullest_second_at) as "secondAt"
  from summed full join counted using (hour) order by hour`;

/** A month of UTC, written like `2026-11`. */
export const MONTH = /^\d{4}-(0[1-9]|1[0-2])$/;

/**
 * What was asked in a month of UTC. The minutes of the last quarter of an hour may not be counted yet. Throws `config-invalid` for a
 * month that is none or has not begun.
 */
export async function receiptOf(known: Known, source: FoundSource, month: string): Promise<Receipt> {
  const now = (await known.database.row<{ now: Instant }>('select instant_of(now()) as now'))?.now ?? 0;
  const from = MONTH.test(month) ? parseInstant(`${month}-01T00:00:00Z`) : undefined;
  if (from === undefined || from > now)
    throw configInvalid(`${month} is no month that has begun`, 'write it like 2026-11', 'month');
  const end = nextMonth(from);
  const { requests: promised, quietHours } = await contractOf(known, source);
  const since = await known.database.row<{ countedFrom: Instant | null }>(COUNTED_FROM, [source.id]);
  const countedFrom = since?.countedFrom ?? Infinity;
  const hours = await known.database.rows<Hour & Record<string, unknown>>(HOURS, [source.id, from, end]);
  const counted = hours.filter(({ hour }) => hour >= countedFrom);
  const requestsIn = (one: Hour): number =>
    one.hour < countedFrom ? one.ofWindows : one.live + one.history + one.look + one.login;
  const allowedIn = (length: number): number => Math.floor(promised.burst + (promised.perSecond * length) / SECOND);
  const sum = (of: readonly Hour[], numberOf: (hour: Hour) => number): number =>
    of.reduce((all, one) => all + numberOf(one), 0);
  const requests = sum(hours, requestsIn);
  const [busiest] = hours.toSorted((one, other) => requestsIn(other) - requestsIn(one));
  const [fullest] = counted.toSorted((one, other) => other.fullest - one.fullest);
  const [second] = hours.toSorted((one, other) => (other.second ?? 0) - (one.second ?? 0));
  const isWhole = countedFrom <= from;
  const to = Math.min(end, now);
  return {
    name: source.name,
    organisation: source.organisation,
    month,
    from: formatInstant(from),
    to: formatInstant(to),
    countedFrom: isWhole ? null : formatInstant(Math.min(countedFrom, to)),
    requests,
    requestsInADay: Math.round((requests * DAY) / Math.max(DAY, to - from)),
    kinds:
      counted.length === 0
        ? null
        : {
            live: sum(counted, ({ live }) => live),
            history: sum(counted, ({ history }) => history),
            look: sum(counted, ({ look }) => look),
            login: sum(counted, ({ login }) => login),
            failed: sum(counted, ({ failed }) => failed),
          },
    bytes: sum(hours, ({ bytes }) => bytes),
    windows: sum(hours, ({ windows }) => windows),
    readings: sum(hours, ({ readings }) => readings),
    busiestHour:
      busiest === undefined
        ? null
        : { hour: formatInstant(busiest.hour), requests: requestsIn(busiest), allowed: allowedIn(HOUR) },
    busiestMinute:
      fullest === undefined || fullest.fullestAt === null
        ? null
        : { minute: formatInstant(fullest.fullestAt), requests: fullest.fullest, allowed: allowedIn(MINUTE) },
    busiestSecond:
      second === undefined || second.second === null || second.secondAt === null
        ? null
        : { minute: formatInstant(second.secondAt), requests: second.second, allowed: promised.inASecond },
    broken: hours.flatMap((one): BrokenHour[] => {
      const asked = requestsIn(one);
      if (asked === 0) return [];
      const hour = formatInstant(one.hour);
      const isQuiet = (nextAllowed(quietHours, one.hour) ?? Infinity) >= one.hour + HOUR;
      if (isQuiet) return [{ hour, what: 'quiet-hours', requests: asked, allowed: 0 }];
      if (asked > allowedIn(HOUR)) return [{ hour, what: 'rate', requests: asked, allowed: allowedIn(HOUR) }];
      if (one.hour >= countedFrom && one.fullest > allowedIn(MINUTE) && one.fullestAt !== null)
        return [
          { hour: formatInstant(one.fullestAt), what: 'minute', requests: one.fullest, allowed: allowedIn(MINUTE) },
        ];
      if (one.second === null || one.secondAt === null || one.second <= promised.inASecond) return [];
      return [{ hour: formatInstant(one.secondAt), what: 'second', requests: one.second, allowed: promised.inASecond }];
    }),
  };
}

/** The first instant of the month after the one that begins at `from`. */
function nextMonth(from: Instant): Instant {
  const [year = 0, month = 0] = formatInstant(from).split('-').map(Number);
  const next = month === 12 ? `${year + 1}-01` : `${year}-${String(month + 1).padStart(2, '0')}`;
  return parseInstant(`${next}-01T00:00:00Z`) ?? from;
}
