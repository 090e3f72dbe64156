import { formatInstant } from '../core/instant.ts';
import type { RefusalSum } from '../core/kept-refusals.ts';
import type { RefusalReason } from '../core/reading.ts';
import type { Difference } from '../core/source/difference.ts';
import { argumentsOf } from '../core/source/source-name.ts';
import type { SourceConfig } from '../core/source/source.ts';
import type { Database } from '../database/database.ts';
import { refusalsOf } from './refusals.ts';

/** Refused points that a change of the mapping or of options may turn into readings, and the command that asks for them once more. */
export interface Repair {
  readonly refused: number;
  /** Number of variables that they are of. */
  readonly series: number;
  readonly reasons: readonly RefusalReason[];
  /** ISO 8601; a range that holds all of the points. */
  readonly from: string;
  readonly to: string;
  readonly command: string;
}

/** The reasons that a field of a sensor or of its variable may mend, by the name of the field. */
const MENDED_BY: Readonly<Record<string, readonly RefusalReason[]>> = {
  as: [
    'bad-sensor-id',
    'bad-value-name',
    'name-collision',
    'name-held-back',
    'series-of-another',
    'same-instant',
    'too-many-series',
  ],
  labels: ['bad-label', 'too-many-labels'],
  unit: ['bad-label', 'too-many-labels'],
  scale: ['not-finite'],
  offset: ['not-finite'],
};

/** More variables than a source of the largest plant has. */
const MOST_SERIES = 1_000_000;

/**
 * The refused points that a change concerns, and the backfill that repairs them; undefined where there are none. The points of
 * one reason are counted for the sensors that the change names, or for all of them. `source`: the source after the change.
 */
export async function repairOf(
  database: Database,
  source: SourceConfig,
  { sourceId, differences }: { readonly sourceId: number; readonly differences: readonly Difference[] },
): Promise<Repair | undefined> {
  const isMended = mendedBy(source, differences);
  if (isMended === undefined) return undefined;
  const { series } = await refusalsOf(database, { sourceId }, MOST_SERIES);
  const mended = series.filter((sum) => isMended(sum));
  if (mended.length === 0) return undefined;
  // Windows end on the grid of the source, and so does its edge: a backfill may not reach further.
  const { align } = source.schedule;
  const first = mended.reduce((least, sum) => Math.min(least, sum.first ?? least), Infinity);
  const last = mended.reduce((most, sum) => Math.max(most, sum.last ?? most), -Infinity);
  const from = formatInstant(Math.floor(first / align) * align);
  const to = formatInstant((Math.floor(last / align) + 1) * align);
  return {
    refused: mended.reduce((sum, { refused }) => sum + refused, 0),
    series: mended.length,
    reasons: [...new Set(mended.map(({ reason }) => reason))],
    from,
    to,
    command: commandOf(source, from, to),
  };
}

const commandOf = (source: SourceConfig, from: string, to: string): string =>
  `databridge backfill start ${argumentsOf(source)} --from ${from} --to ${to} --what all`;

type Mended = Pick<RefusalSum, 'reason' | 'sensor'>;

/** Whether a change may mend points of a reason and sensor; undefined where it mends none. */
function mendedBy(
  { mapping }: SourceConfig,
  differences: readonly Difference[],
): ((one: Mended) => boolean) | undefined {
  const everywhere = new Set<RefusalReason>();
  const ofSensors = new Map<string, Set<RefusalReason>>();
  for (const { path } of differences) {
    for (const reason of reasonsEverywhere(path, mapping)) everywhere.add(reason);
    for (const sensor of sensorsIn(path)) {
      const reasons = ofSensors.get(sensor) ?? new Set();
      for (const reason of reasonsOfSensor(path)) reasons.add(reason);
      ofSensors.set(sensor, reasons);
    }
  }
  if (everywhere.size === 0 && ofSensors.size === 0) return undefined;
  return ({ reason, sensor }) => everywhere.has(reason) || ofSensors.get(sensor)?.has(reason) === true;
}

function reasonsEverywhere(path: string, mapping: SourceConfig['mapping']): readonly RefusalReason[] {
  if (path === 'mapping.booleans' && mapping.booleans === 'number') return ['boolean'];
  if (path === 'mapping.bad' && mapping.bad === 'keep') return ['bad-quality'];
  if (path === 'mapping.dst' && mapping.dst !== 'refuse') return ['local-time-repeated'];
  // Which option says what a quality means is known to the platform alone.
  if (path.startsWith('options'))
    return /qualit/i.test(path) ? ['unknown-quality', 'bad-quality'] : ['unknown-quality'];
  if (path === 'mapping.timezone') return ['local-time-missing', 'local-time-repeated'];
  return path.startsWith('mapping.labels') ? ['bad-label', 'too-many-labels'] : [];
}

/** The sensors that a path like `sensors[pump 7].values.load.as` may name: an identifier may hold brackets itself. */
const sensorsIn = (path: string): string[] =>
  path.startsWith('sensors[')
    ? [...path.matchAll(/\](?=\.|$)/g)].map(({ index }) => path.slice('sensors['.length, index))
    : [];

function reasonsOfSensor(path: string): readonly RefusalReason[] {
  if (/\.states\b/.test(path)) return ['system-state'];
  return MENDED_BY[path.slice(path.lastIndexOf('.') + 1)] ?? [];
}
