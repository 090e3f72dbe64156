import { countOf, lettersOf, rangeOf } from '../core/buckets.ts';
import type { Grid } from '../core/buckets.ts';
import { SECOND, formatInstant, instantOrNull } from '../core/instant.ts';
import type { CoverageReport, Strip } from './coverage-report.ts';

/** The buckets of an answer. */
const gridDocument = (grid: Grid, zone: string | undefined) => {
  const { from, to } = rangeOf(grid);
  return {
    from: formatInstant(from),
    to: formatInstant(to),
    buckets: countOf(grid),
    bucketSeconds: zone === undefined ? grid.length / SECOND : null,
    zone: zone ?? null,
    edges: grid.edges.map(formatInstant),
  };
};

const stripDocument = ({ states, time }: Strip) => ({
  states: lettersOf(states),
  coveredSeconds: time.covered / SECOND,
  failedSeconds: time.failed / SECOND,
  missingSeconds: time.missing / SECOND,
  askingSeconds: time.asking / SECOND,
});

/** How the coverage was asked for. */
interface Asked {
  readonly sensor?: string | undefined;
  /** Where the buckets are the days of a zone. */
  readonly zone?: string | undefined;
}

/** The coverage of a source as a JSON document: instants as text, lengths of time in seconds, states as `lettersOf` writes them. */
export const coverageDocument = (report: CoverageReport, { sensor, zone }: Asked) => ({
  sensor: sensor ?? null,
  ...gridDocument(report.grid, zone),
  streams: report.streams.map(({ key, readings, refused, ...strip }) => ({
    key,
    ...stripDocument(strip),
    readings: readings === null ? null : [...readings],
    refused: refused === null ? null : [...refused],
  })),
  hiddenStreams: report.hidden,
  refusals: report.refusals.map(({ reason, refused, first, last, raw }) => ({
    reason,
    refused,
    raw,
    first: formatInstant(first),
    last: formatInstant(last),
  })),
  refusalsNotKept: report.unkept,
  keptFrom: instantOrNull(report.keptFrom),
});

/** The coverage of several sources as a JSON document. A source without streams has no strip. */
export const stripsDocument = (
  { grid, strips }: { readonly grid: Grid; readonly strips: ReadonlyMap<number, Strip> },
  sources: readonly { readonly id: number; readonly organisation: string; readonly name: string }[],
  zone: string | undefined,
) => ({
  ...gridDocument(grid, zone),
  sources: sources.map(({ id, organisation, name }) => {
    const strip = strips.get(id);
    return { organisation, name, strip: strip === undefined ? null : stripDocument(strip) };
  }),
});
