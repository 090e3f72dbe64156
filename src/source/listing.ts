import { formatDuration } from '../core/duration.ts';
import { SECOND, instantOrNull } from '../core/instant.ts';
import type { Database } from '../database/database.ts';
import type { Platform } from '../platform/contract.ts';
import type { Registry } from '../platform/registry.ts';
import { allRefusedDocument } from './all-refused.ts';
import { chosenOf, conditionOf } from './condition.ts';
import type { SourceChoice } from './condition.ts';
import { allowedPerHour, measuredOverload, platformsBehind } from './demand.ts';
import { listSources } from './report.ts';
import type { SourceLine } from './report.ts';

/** The sources that an operator asked for; without `sort` those that are behind come with the longest lag first, others by name. */
export interface WantedSources extends Omit<SourceChoice, 'sort'> {
  readonly sort?: SourceChoice['sort'] | undefined;
  /** The organisations whose sources are wanted; undefined: all. */
  readonly organisations?: readonly string[] | undefined;
  /** Cuts out the wanted part of the list. */
  readonly page: (chosen: readonly SourceLine[]) => readonly SourceLine[];
}

/** The answer to a list of sources. */
export interface ListedSources {
  /** Every source of these organisations, also those that the filters leave out. */
  readonly all: readonly SourceLine[];
  /** How many sources the filters let through. */
  readonly matching: number;
  readonly lines: readonly SourceLine[];
  /** The platforms that explain the overload of these lines. */
  readonly platforms: readonly Platform[];
}

/** Lists, filters and sorts sources, and loads the platforms that their lines need. */
export async function listedSources(
  database: Database,
  listed: Registry['platforms'],
  { page, organisations, ...choice }: WantedSources,
): Promise<ListedSources> {
  const all = await listSources(database, organisations);
  const chosen = chosenOf(all, { ...choice, sort: choice.sort ?? (choice.behind === true ? 'lag' : 'name') });
  const lines = page(chosen);
  const demands = lines.map(({ demand }) => demand);
  return { all, matching: chosen.length, lines, platforms: await platformsBehind(demands, listed) };
}

/** A line of the list as a JSON document: instants and durations as text, other lengths of time in seconds. */
export const sourceLineDocument = (
  { lag, overdue, demand, clockAhead, requests, ...line }: SourceLine,
  platforms: readonly Platform[],
): Record<string, unknown> => ({
  ...line,
  requestsLastHour: { ...requests, allowed: allowedPerHour(demand, platforms) },
  allRefused: allRefusedDocument(line.allRefused),
  condition: conditionOf({ ...line, lag, overdue }),
  every: formatDuration(line.every),
  lagSeconds: lag === null ? null : lag / SECOND,
  overdueSeconds: overdue === null ? null : overdue / SECOND,
  newestAt: instantOrNull(line.newestAt),
  lastSuccessAt: instantOrNull(line.lastSuccessAt),
  overload: measuredOverload(demand, platforms) ?? null,
  heldUntil: instantOrNull(line.heldUntil),
  outboxFullSince: instantOrNull(line.outboxFullSince),
  settle: formatDuration(line.settle),
  platformClockAheadSeconds: clockAhead === null ? null : clockAhead / SECOND,
});
