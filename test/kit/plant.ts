import { linePrefix, valueText } from './line-protocol.ts';
import { type Instrument, instruments } from './plant-instruments.ts';
import { timeOfPoint } from './plant-times.ts';
import { type Point, seriesKey } from './point.ts';

export interface PlantOptions {
  /** How many points, exactly. */
  readonly points: number;
  /** First instant of the range, µs; a full hour. */
  readonly fromUs: number;
  readonly days: number;
  /** Default 1. The same options give the same plant, on every machine. */
  readonly seed?: number;
  /** Default 60. */
  readonly series?: number;
}

/** A made-up plant: the points to write into InfluxDB, which must be found there afterwards. */
export interface Plant {
  readonly fromUs: number;
  /** First instant after the range, µs. */
  readonly toUs: number;
  /** All points, in the order of `sortPoints`; made anew at each call. */
  points(): Generator<Point>;
  /** The same as line protocol for precision `u`, in batches of at most `linesPerBatch` lines (default 10,000). */
  batches(linesPerBatch?: number): Generator<string[]>;
}

interface Series extends Pick<Point, 'measurement' | 'tags' | 'field'> {
  readonly instrument: Instrument;
  readonly seed: number;
}

const hourUs = 3_600_000_000;

/** Uses neither a clock nor randomness. Throws a RangeError when the range is not of full hours or too short for the points. */
export function makePlant(options: PlantOptions): Plant {
  const { points: pointCount, fromUs, seed = 1, series: seriesCount = 60 } = options;
  const rangeUs = options.days * 24 * hourUs;
  if (fromUs % hourUs !== 0 || rangeUs % hourUs !== 0) throw new RangeError('a plant starts and ends on full hours');
  const slots = { count: Math.ceil(pointCount / seriesCount), rangeUs };
  if (slots.count * 1_000 > rangeUs) throw new RangeError('more than one point per ms and series');

  const allSeries = Array.from({ length: seriesCount }, (_, index) => makeSeries(index, seed))
    .map((series) => ({ series, key: seriesKey(series) }))
    .toSorted((one, other) => (one.key < other.key ? -1 : 1));
  const countOf = (position: number): number =>
    Math.floor(pointCount / seriesCount) + (position < pointCount % seriesCount ? 1 : 0);

  function* pointsOf(series: Series, count: number): Generator<Point> {
    const { measurement, tags, field, instrument } = series;
    for (let index = 0; index < count; index += 1) {
      const at = fromUs + timeOfPoint(instrument.cadence, slots, index, random(series.seed, 2 * index));
      yield { measurement, tags, field, at, value: instrument.value(index, random(series.seed, 2 * index + 1)) };
    }
  }

  return {
    fromUs,
    toUs: fromUs + rangeUs,
    *points() {
      for (const [position, { series }] of allSeries.entries()) yield* pointsOf(series, countOf(position));
    },
    *batches(linesPerBatch = 10_000) {
      let batch: string[] = [];
      for (const [position, { series }] of allSeries.entries()) {
        const prefix = linePrefix(series);
        const integer = series.instrument.kind === 'integer';
        for (const { at, value } of pointsOf(series, countOf(position))) {
          batch.push(`${prefix}${valueText(value, integer)} ${at}`);
          if (batch.length < linesPerBatch) continue;
          yield batch;
          batch = [];
        }
      }
      if (batch.length > 0) yield batch;
    },
  };
}

function makeSeries(index: number, seed: number): Series {
  const instrument = instruments[index % instruments.length] as Instrument;
  const unit = Math.floor(index / instruments.length) + 1;
  const { measurement, field } = instrument;
  return { measurement, tags: instrument.tags(unit), field, instrument, seed: scramble(seed * 1_000_003 + index) };
}

/** The `index`-th number of a sequence, in [0, 1) with 53 random bits. */
function random(seed: number, index: number): number {
  const high = scramble(seed ^ Math.imul(index, 0x9e3779b1));
  const low = scramble(high ^ seed);
  return (high * 0x200000 + (low >>> 11)) / 2 ** 53;
}

/** Spreads a change of any bit over all 32. */
function scramble(bits: number): number {
  const once = Math.imul(bits ^ (bits >>> 16), 0x45d9f3b);
  const twice = Math.imul(once ^ (once >>> 16), 0x45d9f3b);
  return (twice ^ (twice >>> 16)) >>> 0;
}
