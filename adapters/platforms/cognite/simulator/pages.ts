import { z } from 'zod';
import type { SimulatedClock } from '../../../../src/simulator/clock.ts';
import type { SimulatedAnswer, SimulatedRequest } from '../../../../src/simulator/contract.ts';
import { distort, writeJson } from '../../../../src/simulator/distort.ts';
import { Refused } from '../../../../src/simulator/route.ts';
import { hash, visiblePoints, type TruthPoint, type TruthSpec } from '../../../../src/simulator/truth.ts';
import { describe, lookUp, unknownSeries, type CogniteSeries } from './series.ts';

const count = z.int().min(1);

/** The options of the simulator that decide on points. */
export const pageFields = {
  truth: z.custom<TruthSpec>((truth) => typeof truth === 'object'),
  /** The most points of all series in one answer, and the most series in one question for points. */
  mostPoints: count.default(100_000),
  mostItems: count.default(100),
  /** Limits that add up to more than `mostPoints`: refused, or shared in the order of the items. Not documented. */
  limitsAbove: z.enum(['refused', 'shared']).default('refused'),
  /** The documentation implies that the points of a page ascend, and does not say it. */
  order: z.enum(['ascending', 'descending']).default('ascending'),
  /** A bad point: with its number, without a value, with a word such as `"NaN"`, or each of them in turn. */
  badValueAs: z.enum(['number', 'absent', 'word', 'all']).default('all'),
  /** State series are a preview: a point with `numericValue` and `stringValue`, or with the state as `value`. */
  stateAs: z.enum(['fields', 'value']).default('fields'),
};
type PageOptions = z.output<z.ZodObject<typeof pageFields>>;

const range = {
  start: z.int().optional(),
  end: z.int().optional(),
  limit: z.int().min(1).optional(),
  includeStatus: z.boolean().optional(),
  ignoreBadDataPoints: z.boolean().optional(),
  treatUncertainAsBad: z.boolean().optional(),
};
const ofOne = { ...range, cursor: z.string().optional() };
const item = z.union([z.strictObject({ id: z.int(), ...ofOne }), z.strictObject({ externalId: z.string(), ...ofOne })]);

export const dataQuestion = z.strictObject({
  ...range,
  items: z.array(item).min(1),
  ignoreUnknownIds: z.boolean().default(false),
});
type DataQuestion = z.output<typeof dataQuestion>;

/** The part of a series that an item asks for; a page begins at `from`. */
interface Asked {
  readonly series: CogniteSeries;
  readonly start: number;
  readonly end: number;
  readonly from: number;
  readonly limit: number;
  readonly includeStatus: boolean;
  readonly ignoreBadDataPoints: boolean;
  readonly treatUncertainAsBad: boolean;
}

/** `timeseries/data/list`: `start` inclusive, `end` exclusive, and a cursor for each series with more points in between. */
export function cognitePages(options: PageOptions, clock: SimulatedClock) {
  const { truth, mostItems, mostPoints, limitsAbove, order } = options;

  function askedOf(question: DataQuestion, given: z.output<typeof item>, series: CogniteSeries): Asked {
    const { start = 0, end = clock.nowMs(), limit = 100, ...wanted } = { ...question, ...given };
    if (end <= start) throw new Refused(400, 'end must be greater than start');
    return {
      series,
      start,
      end,
      from: given.cursor === undefined ? start : placeOf(given.cursor, { series, start, end }),
      limit,
      includeStatus: wanted.includeStatus ?? false,
      ignoreBadDataPoints: wanted.ignoreBadDataPoints ?? true,
      treatUncertainAsBad: wanted.treatUncertainAsBad ?? true,
    };
  }

  /** At most `limit` points, and the instant of the first one behind them. */
  function page(asked: Asked, limit: number): { points: TruthPoint[]; next?: number } {
    const { series, from, end } = asked;
    const points: TruthPoint[] = [];
    const stretch = { fromMs: from, toMs: end };
    for (const point of visiblePoints(truth, series.device.id, series.key.name, stretch, { nowMs: clock.nowMs() })) {
      if (!isShown(point, asked)) continue;
      if (points.length === limit) return { points, next: point.ts };
      points.push(point);
    }
    return { points };
  }

  function written(asked: Asked, points: readonly TruthPoint[], next: number | undefined, request: SimulatedRequest) {
    const { id, externalId, isString, type, isStep } = describe(asked.series, truth.firstMs);
    const told = distort(points, request.pointEffects, clock.nowMs(), 'ASC');
    const datapoints = told.map((point) => datapoint(point, asked, options));
    if (order === 'descending') datapoints.reverse();
    const cursor = next === undefined ? {} : { nextCursor: cursorOf(asked, next) };
    return { id, externalId, isString, type, isStep, datapoints, ...cursor };
  }

  return (question: DataQuestion, all: readonly CogniteSeries[], request: SimulatedRequest): SimulatedAnswer => {
    if (question.items.length > mostItems) throw new Refused(400, `At most ${mostItems} items`);
    const isAs = (as: string, id: string) => request.badSensors.some((bad) => bad.as === as && bad.device === id);
    const { found, missing } = lookUp(
      question.items,
      all.filter(({ device }) => !isAs('missing', device.id)),
    );
    if (missing.length > 0 && !question.ignoreUnknownIds) return unknownSeries(missing);
    if (found.some(({ series }) => isAs('forbidden', series.device.id))) throw new Refused(403, 'Not authorised');
    if (found.some(({ series }) => isAs('broken', series.device.id))) throw new Refused(500, 'Internal server error');
    const asked = found.map((one) => askedOf(question, one.item, one.series));
    const limits = asked.map(({ limit }) => limit);
    const most = limitsAbove === 'refused' ? limits.reduce((sum, limit) => sum + limit, 0) : Math.max(0, ...limits);
    if (most > mostPoints) throw new Refused(400, `At most ${mostPoints} points, not ${most}`);
    if (request.pointEffects.some(({ kind }) => kind === 'duplicate-timestamps')) {
      throw new Error('Cognite holds one point of a series at an instant');
    }
    let left = mostPoints;
    const items = asked.map((one) => {
      const { points, next } = page(one, Math.min(one.limit, left));
      left -= points.length;
      return written(one, points, next, request);
    });
    return { status: 200, body: writeJson({ items }) };
  };
}

/** By default the product leaves out bad points, and uncertain ones with them. */
function isShown({ quality = 'good' }: TruthPoint, { ignoreBadDataPoints, treatUncertainAsBad }: Asked): boolean {
  const isBad = quality === 'bad' || (quality !== 'good' && treatUncertainAsBad);
  return !(isBad && ignoreBadDataPoints);
}

const words = ['NaN', 'Infinity', '-Infinity'];

function datapoint(
  { ts, value, quality = 'good' }: { ts: number; value: unknown; quality?: TruthPoint['quality'] },
  { series: { type }, includeStatus }: Asked,
  { badValueAs, stateAs }: PageOptions,
): object {
  // The status "good" is never written.
  const point = { timestamp: ts, ...(includeStatus && quality !== 'good' && { status: statusOf(quality, ts) }) };
  const form = badValueAs === 'all' ? ['number', 'absent', 'word'][hash(0, 'form', ts) % 3] : badValueAs;
  if (quality === 'bad' && form === 'absent') return point;
  if (quality === 'bad' && form === 'word' && type === 'numeric')
    return { ...point, value: words[hash(0, 'word', ts) % 3] };
  if (type === 'state' && typeof value !== 'number') return { ...point, ...stateOf(value, stateAs) };
  return { ...point, value: type === 'string' && typeof value === 'object' ? JSON.stringify(value) : value };
}

const CATEGORIES = {
  uncertain: [0x40000000, 'Uncertain'],
  substituted: [0x40000000, 'Uncertain'],
  bad: [0x80000000, 'Bad'],
  unknown: [0xc0000000, 'Reserved'],
} as const;

/** OPC UA: the two top bits are the category, of which the fourth is reserved. Every other code carries a flag besides it. */
function statusOf(quality: keyof typeof CATEGORIES, ts: number): object {
  const [code, symbol] = CATEGORIES[quality];
  return hash(0, 'flag', ts) % 2 === 0
    ? { code, symbol }
    : { code: code + 0x8000, symbol: `${symbol}, StructureChanged` };
}

function stateOf(value: unknown, stateAs: PageOptions['stateAs']): object {
  if (value === null) return { value };
  const isSwitch = typeof value === 'boolean';
  const { state, code } = isSwitch
    ? { state: value ? 'On' : 'Off', code: Number(value) }
    : (value as { state: string; code: number });
  return stateAs === 'fields' ? { numericValue: code, stringValue: state } : { value: state };
}

type Question = Pick<Asked, 'series' | 'start' | 'end'>;

const cursorOf = ({ series, start, end }: Question, from: number): string =>
  Buffer.from(JSON.stringify([series.externalId, start, end, from])).toString('base64url');

/** Where a cursor stands; 400 unless it was given for this series and this window. */
function placeOf(cursor: string, question: Question): number {
  const from = Number(/(-?\d+)\]$/.exec(Buffer.from(cursor, 'base64url').toString())?.[1]);
  if (cursorOf(question, from) !== cursor) throw new Refused(400, 'The cursor belongs to another question');
  return from;
}
