import { formatDuration, parseDuration } from '../core/duration.ts';
import { formatInstant, instantOrNull } from '../core/instant.ts';
import type { Instant, Microseconds } from '../core/instant.ts';
import { LOOK_BACK_AT_MOST, endsAtBound } from '../core/look-back.ts';
import { isMapping } from '../core/source/path.ts';
import type { Database } from '../database/database.ts';
import type { Platform } from '../platform/contract.ts';
import type { Registry } from '../platform/registry.ts';
import { platformsBehind } from './demand.ts';
import { sourceLineDocument } from './listing.ts';
import type { FoundSource } from './find-source.ts';
import { refusalsByReason } from './refusals.ts';
import { reportSource } from './report.ts';
import type { PageOfStreams, SourceReport, StreamReport } from './report.ts';
import { shownConfig } from './shown-config.ts';
import { ownedElsewhere } from './take-over.ts';
import type { OwnedElsewhere } from './take-over.ts';
import { unknownSource } from './unusable-source.ts';
import type { WindowReport } from './window-log.ts';

export interface ShownStream extends StreamReport {
  /** Late data was found so far back that looks for more of it end at `schedule.lookBackAtMost`: there may be more beyond. */
  readonly mayMissLateData: boolean;
}

/** Everything that an operator sees of one source. */
export interface ShownSource {
  /** With the configuration without its secrets. */
  readonly report: Omit<SourceReport, 'streamReports'> & { readonly streamReports: readonly ShownStream[] };
  readonly refusals: Awaited<ReturnType<typeof refusalsByReason>>;
  /** The platform of the source, where its overload depends on it. */
  readonly platforms: readonly Platform[];
  readonly seriesOfOthers: readonly OwnedElsewhere[];
}

/** Throws `config-invalid` for a source that was removed meanwhile. `streams`: the first of them only; without it all. */
export async function showSource(
  database: Database,
  registry: Pick<Registry, 'kinds' | 'platforms'>,
  source: FoundSource,
  streams?: PageOfStreams,
): Promise<ShownSource> {
  const report = await reportSource(database, source.id, streams);
  if (report === undefined) throw unknownSource(source);
  return {
    report: {
      ...report,
      config: await shownConfig(report.config, registry),
      streamReports: report.streamReports.map((stream) => shownStream(stream, report.config)),
    },
    refusals: await refusalsByReason(database, source.id),
    platforms: await platformsBehind([report.demand], registry.platforms),
    seriesOfOthers: await ownedElsewhere(database, source),
  };
}

/** A stream of a source of this configuration. */
export const shownStream = (stream: StreamReport, config: unknown): ShownStream => ({
  ...stream,
  mayMissLateData: endsAtBound(stream.newsAge, lookBackAtMostIn(config)),
});

/** The bound of the looks for late data in a stored configuration, which has what the operator wrote. */
function lookBackAtMostIn(config: unknown): Microseconds {
  const schedule = isMapping(config) ? config['schedule'] : undefined;
  const written = isMapping(schedule) ? schedule['lookBackAtMost'] : undefined;
  return parseDuration(typeof written === 'string' ? written : LOOK_BACK_AT_MOST) ?? 0;
}

/** A source as a JSON document: instants and durations as text, other lengths of time in seconds. */
export const sourceDocument = ({
  report: { streamReports, windows, ...report },
  refusals,
  platforms,
  seriesOfOthers,
}: ShownSource) => ({
  ...sourceLineDocument(report, platforms),
  kind: report.kind,
  config: report.config,
  revision: report.revision,
  revisionTag: report.revisionTag,
  startAt: formatInstant(report.startAt),
  createdAt: formatInstant(report.createdAt),
  ...instants(report, ['nextDueAt', 'lastPollAt', 'lookedAt', 'lookDueAt']),
  lookFailures: report.lookFailures,
  awaitsLook: report.awaitsLook,
  slowed: report.slowed,
  refused24h: report.refused24h,
  repeats24h: report.repeats24h,
  outside24h: report.outside24h,
  pace: report.pace && {
    holdUntil: instantOrNull(report.pace.holdUntil),
    leases: report.pace.leases.map(({ until, ...lease }) => ({ ...lease, until: formatInstant(until) })),
  },
  streams: streamReports.map(streamDocument),
  windows: windows.map(windowDocument),
  refusals: refusals.map(({ examples, ...sum }) => ({
    ...sum,
    ...instants(sum, ['first', 'last']),
    examples: examples.map((example) => ({ ...example, at: instantOrNull(example.at) })),
  })),
  seriesOfOthers,
});

/** A stream as a JSON document. */
export const streamDocument = (stream: ShownStream) => ({
  ...stream,
  covered: stream.covered.map(([from, to]) => ({ from: formatInstant(from), to: formatInstant(to) })),
  window: stream.window === null ? null : formatDuration(Math.round(stream.window)),
  unreadable: stream.unreadable.map((stretch) => ({ ...stretch, ...instants(stretch, ['from', 'to', 'retryAt']) })),
  ...instants(stream, ['historyDueAt', 'retryAt', 'absentSince', 'newestAt']),
});

/** A window of the log as a JSON document. */
export const windowDocument = (window: WindowReport) => ({ ...window, ...instants(window, ['from', 'to', 'askedAt']) });

/** The named instants of a record as text. */
const instants = <K extends string, T extends Readonly<Record<K, Instant | null>>>(
  record: T,
  names: readonly K[],
): { readonly [Name in K]: null extends T[Name] ? string | null : string } =>
  Object.fromEntries(names.map((name) => [name, instantOrNull(record[name])])) as never;
