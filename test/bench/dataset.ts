import type { Instant, Microseconds } from '../../src/core/instant.ts';

/** The readings of the pull bench: the platform serves them, the references copy them, the check counts them. */
export interface Dataset {
  readonly from: Instant;
  /** First instant after the last reading. */
  readonly to: Instant;
  /** Points of each series, `SPACING` apart. */
  readonly pointsPerSeries: number;
  readonly series: readonly DatasetSeries[];
}

export interface DatasetSeries {
  readonly measurement: string;
  readonly unit: string;
  /** The bridge's name of the sensor. */
  readonly sensorId: string;
  readonly number: number;
}

export const MEASUREMENTS = 5;
export const SERIES = 50;
export const FIELD = 'value';

/** The account of the simulated platforms. */
export const READER = { username: 'reader', password: 'of a bench' } as const;

/** One reading a second. */
export const SPACING: Microseconds = 1_000_000;

/**
 * A whole number of readings for each of `seriesCount` series, at most `points` together and within one month, because
 * `reading` is partitioned by months: one table is filled.
 */
export function datasetOf(points: number, seriesCount = SERIES, seriesPerMeasurement = SERIES / MEASUREMENTS): Dataset {
  const pointsPerSeries = Math.floor(points / seriesCount);
  const from = Date.UTC(2026, 0, 5) * 1_000;
  const to = from + pointsPerSeries * SPACING;
  if (pointsPerSeries < 1 || to > Date.UTC(2026, 1, 1) * 1_000) {
    throw new RangeError(`--points must be at least ${2 * seriesCount}, and at most 100,000,000`);
  }
  const series = Array.from({ length: seriesCount }, (_, number): DatasetSeries => {
    const measurement = `line${Math.floor(number / seriesPerMeasurement)}`;
    const unit = `pump-${String(number).padStart(2, '0')}`;
    return { measurement, unit, sensorId: `${measurement},unit=${unit}`, number };
  });
  return { from, to, pointsPerSeries, series };
}

export const instantAt = (dataset: Dataset, index: number): Instant => dataset.from + index * SPACING;

/** Three decimals, like those of an instrument; neighbours differ, so they compress no better than real values. */
export const valueAt = (series: Pick<DatasetSeries, 'number'>, index: number): number =>
  ((series.number * 7_919 + index * 104_729) % 100_003) / 1_000;

/** The devices of `login-plant.ts`, one a source: the UUIDs that its platform names them by, and a point every ten seconds. */
export const POINT_MS = 10_000;
export const deviceOf = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
export const pointOf = (device: string, ms: number): number =>
  ((ms / POINT_MS) % 1_000) * 100_000 + Number(device.slice(-12));
