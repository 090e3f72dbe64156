import { BridgeError, configInvalid } from '../core/errors.ts';
import { DAY, HOUR, SECOND, formatInstant, parseInstant } from '../core/instant.ts';
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

/** Throws `config-invalid` for a source that was removed meanwhile, and for a configuration that this version does not understand. */
export async function contractOf(known: Known, source: FoundSource): Promise<Contract> {
  const config = await configOf(known, source);
  const { pace, schedule } = config;
  const connection = isMapping(config.connection) ? config.connection : {};
  const isAddress = (value: unknown): value is string => typeof value === 'string' && /^https?:/.test(value);
  const measured = await known.database.row<{ bytes: number | null }>(
    `select (sum(bytes) / greatest(1, extract(epoch from now() - min(hour)) / 86400))::float8 as bytes from window_sum
     where source_id = $1 and hour > now() - interval '7 days'`,
    [source.id],
  );
  return {
    source: source.name,
    organisation: source.organisation,
    platform: config.platform,
    hosts: [
      ...new Set(
        Object.values(connection)
          .filter(isAddress)
          .map((url) => new URL(url).origin),
      ),
    ],
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

/** An hour in which the promise was not kept. */
export interface BrokenHour {
  readonly hour: string;
  readonly what: 'rate' | 'quiet-hours';
  readonly requests: number;
  readonly allowed: number;
}

/** What the bridge did in a month against the contract of today. */
export interface Receipt extends SourceName {
  readonly month: string;
  readonly from: string;
  /** The end of the month, or now where it is not over. */
  readonly to: string;
  readonly requests: number;
  readonly requestsInADay: number;
  readonly bytes: number;
  readonly windows: number;
  readonly failures: number;
  readonly readings: number;
  readonly busiestHour: { readonly hour: string; readonly requests: number; readonly allowed: number } | null;
  /** Requests are not kept by the second; the pace lets no second have more. */
  readonly busiestSecondAtMost: number;
  readonly broken: readonly BrokenHour[];
}

interface Hour {
  readonly hour: Instant;
  readonly requests: number;
  readonly bytes: number;
  readonly windows: number;
  readonly failures: number;
  readonly readings: number;
}

const HOURS = `
  select instant_of(hour) as hour, sum(requests)::float8 as requests, sum(bytes)::float8 as bytes, sum(windows)::float8 as windows,
    sum(failures)::float8 as failures, sum(readings)::float8 as readings
  from window_sum where source_id = $1 and hour >= at_instant($2) and hour < at_instant($3) group by hour order by hour`;

/** A month of UTC, written like `2026-11`. */
export const MONTH = /^\d{4}-(0[1-9]|1[0-2])$/;

/**
 * The requests of windows in a month of UTC; looks for sensors and checks are not in the sums of windows. Throws `config-invalid` for a
 * month that is none or has not begun.
 */
export async function receiptOf(known: Known, source: FoundSource, month: string): Promise<Receipt> {
  const now = (await known.database.row<{ now: Instant }>('select instant_of(now()) as now'))?.now ?? 0;
  const from = MONTH.test(month) ? parseInstant(`${month}-01T00:00:00Z`) : undefined;
  if (from === undefined || from > now)
    throw configInvalid(`${month} is no month that has begun`, 'write it like 2026-11', 'month');
  const end = nextMonth(from);
  const { requests: promised, quietHours } = await contractOf(known, source);
  const hours = await known.database.rows<Hour & Record<string, unknown>>(HOURS, [source.id, from, end]);
  const allowed = Math.floor(promised.burst + (promised.perSecond * HOUR) / SECOND);
  const sum = (field: Exclude<keyof Hour, 'hour'>): number => hours.reduce((all, hour) => all + hour[field], 0);
  const [busiest] = hours.toSorted((one, other) => other.requests - one.requests);
  const to = Math.min(end, now);
  return {
    name: source.name,
    organisation: source.organisation,
    month,
    from: formatInstant(from),
    to: formatInstant(to),
    requests: sum('requests'),
    requestsInADay: Math.round((sum('requests') * DAY) / Math.max(DAY, to - from)),
    bytes: sum('bytes'),
    windows: sum('windows'),
    failures: sum('failures'),
    readings: sum('readings'),
    busiestHour:
      busiest === undefined ? null : { hour: formatInstant(busiest.hour), requests: busiest.requests, allowed },
    busiestSecondAtMost: promised.inASecond,
    broken: hours.flatMap(({ hour, requests }): BrokenHour[] => {
      if (requests === 0) return [];
      const isQuiet = (nextAllowed(quietHours, hour) ?? Infinity) >= hour + HOUR;
      if (isQuiet) return [{ hour: formatInstant(hour), what: 'quiet-hours', requests, allowed: 0 }];
      return requests > allowed ? [{ hour: formatInstant(hour), what: 'rate', requests, allowed }] : [];
    }),
  };
}

/** The first instant of the month after the one that begins at `from`. */
function nextMonth(from: Instant): Instant {
  const [year = 0, month = 0] = formatInstant(from).split('-').map(Number);
  const next = month === 12 ? `${year + 1}-01` : `${year}-${String(month + 1).padStart(2, '0')}`;
  return parseInstant(`${next}-01T00:00:00Z`) ?? from;
}
