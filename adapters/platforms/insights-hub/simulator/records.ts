import { z } from 'zod';
import type { SimulatedClock } from '../../../../src/simulator/clock.ts';
import type { SimulatedAnswer, SimulatedRequest } from '../../../../src/simulator/contract.ts';
import { distort, writeJson } from '../../../../src/simulator/distort.ts';
import { Refused } from '../../../../src/simulator/route.ts';
import { visiblePoints, type DeviceSpec, type TruthPoint, type TruthSpec } from '../../../../src/simulator/truth.ts';
import type { Aspect } from './aspects.ts';
import { variableOf } from './aspects.ts';

const code = z.union([z.int(), z.string()]);

/** The options of the simulator that decide on records. */
export const recordFields = {
  /** A device is an asset. */
  truth: z.custom<TruthSpec>((truth) => typeof truth === 'object'),
  /** The most records in a page, and what becomes of a larger `limit`, which is not documented. */
  mostRecords: z.int().min(1).default(2000),
  limitAbove: z.enum(['refused', 'lowered']).default('refused'),
  /** Not documented here; a bridge should say which order it wants. */
  defaultSort: z.enum(['asc', 'desc']).default('desc'),
  /** A variable without a value in a record. */
  missingAs: z.enum(['null', 'absent', 'both']).default('both'),
  /** The quality codes; their words are not documented. */
  codes: z
    .strictObject({ good: code, uncertain: code, substituted: code, bad: code, unknown: code })
    .default({ good: 0, uncertain: 0x40000000, substituted: 0x40920000, bad: 0x80000000, unknown: 0xc0000000 }),
  /** Whether the `Link` to the next page is a whole address or a path, and whether a full last page has one. */
  link: z.enum(['absolute', 'relative']).default('absolute'),
  linkAfterLast: z.boolean().default(false),
};
type RecordOptions = z.output<z.ZodObject<typeof recordFields>>;

const instant = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/)
  .transform((text) => Date.parse(text))
  .pipe(z.int());

/** Without a range the product answers the latest record; one end alone is refused. */
export const windowQuestion = z
  .strictObject({
    from: instant.optional(),
    to: instant.optional(),
    limit: z
      .string()
      .regex(/^[1-9]\d*$/)
      .transform(Number)
      .optional(),
    select: z.string().min(1).optional(),
    sort: z.enum(['asc', 'desc']).optional(),
  })
  .refine(({ from, to }) => (from === undefined) === (to === undefined), 'from and to belong together')
  .refine(({ from = 0, to = 1 }) => from < to, 'from must be before to');
type WindowQuestion = z.output<typeof windowQuestion>;

/** Each variable with its points in a page. */
type Columns = readonly (readonly [Aspect['keys'][number], readonly TruthPoint[]])[];

/** Pages of records in `(from, to]`: `from` exclusive, `to` inclusive. The next page is behind the header `Link`. */
export function recordPages(options: RecordOptions, clock: SimulatedClock) {
  const { truth, mostRecords } = options;

  /** The points of all variables at the first `limit` instants, and whether there are more. */
  function page(
    device: DeviceSpec,
    keys: Aspect['keys'],
    { from, to }: WindowQuestion,
    limit: number,
    sort: 'asc' | 'desc',
  ) {
    const stretch = { fromMs: (from ?? -Infinity) + 1, toMs: (to ?? Infinity) + 1 };
    const order = sort === 'asc' ? 'ASC' : 'DESC';
    const columns = keys.map((one) => {
      const points: TruthPoint[] = [];
      for (const point of visiblePoints(truth, device.id, one.key.name, stretch, { nowMs: clock.nowMs(), order })) {
        if (points.push(point) > limit) break;
      }
      return [one, points] as const;
    });
    const ascending = [...new Set(columns.flatMap(([, points]) => points.map(({ ts }) => ts)))].toSorted(
      (one, other) => one - other,
    );
    const instants = sort === 'asc' ? ascending : ascending.toReversed();
    const shown = new Set(instants.slice(0, limit));
    const kept = columns.map(([one, points]) => [one, points.filter(({ ts }) => shown.has(ts))] as const);
    return {
      columns: kept,
      last: instants[Math.min(limit, instants.length) - 1],
      isMore: instants.length > limit,
      isFull: instants.length >= limit,
    };
  }

  function written(columns: Columns, { pointEffects }: SimulatedRequest, sort: 'asc' | 'desc'): object[] {
    if (pointEffects.some(({ kind }) => kind === 'duplicate-timestamps'))
      throw new Error('Insights Hub has one record at an instant');
    const records = new Map<number, Record<string, unknown>>();
    for (const [{ key, variable }, points] of columns) {
      const { qualityCode } = variableOf(key);
      for (const { ts, value, quality } of distort(
        points,
        pointEffects,
        clock.nowMs(),
        sort === 'asc' ? 'ASC' : 'DESC',
      )) {
        const record = records.get(ts) ?? { _time: new Date(ts).toISOString() };
        record[variable] = plain(value);
        if (qualityCode) record[`${variable}_qc`] = options.codes[quality ?? 'good'];
        records.set(ts, record);
      }
    }
    const isNull = (ts: number) => options.missingAs === 'null' || (options.missingAs === 'both' && ts % 20_000 === 0);
    for (const [ts, record] of records) {
      if (isNull(ts)) for (const [{ variable }] of columns) record[variable] ??= null;
    }
    return [...records]
      .toSorted(([one], [other]) => (sort === 'asc' ? one - other : other - one))
      .map(([, record]) => record);
  }

  return (device: DeviceSpec, aspect: Aspect, question: WindowQuestion, request: SimulatedRequest): SimulatedAnswer => {
    const isLatest = question.from === undefined;
    const { limit = mostRecords, select, sort = isLatest ? 'desc' : options.defaultSort } = question;
    if (limit > mostRecords && options.limitAbove === 'refused')
      throw new Refused(400, `limit must be at most ${mostRecords}`);
    const names = select?.split(',') ?? aspect.keys.map(({ variable }) => variable);
    const unknown = names.find((name) => !aspect.keys.some(({ variable }) => variable === name));
    if (unknown !== undefined) throw new Refused(400, `The aspect has no variable ${unknown}`);
    const keys = aspect.keys.filter(({ variable }) => names.includes(variable));
    const { columns, last, isMore, isFull } = page(
      device,
      keys,
      question,
      isLatest ? 1 : Math.min(limit, mostRecords),
      sort,
    );
    const body = writeJson(written(columns, request, sort));
    if (isLatest || last === undefined || !(isMore || (options.linkAfterLast && isFull))) return { status: 200, body };
    const query = new URLSearchParams(request.query);
    query.set(sort === 'asc' ? 'from' : 'to', new Date(sort === 'asc' ? last : last - 1).toISOString());
    const host = options.link === 'absolute' ? `http://${request.headers.host}` : '';
    return { status: 200, body, headers: { link: `<${host}${request.path}?${query}>; rel="next"` } };
  };
}

/** States are words, objects are JSON in a text. */
function plain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return 'state' in value ? value.state : JSON.stringify(value);
}
