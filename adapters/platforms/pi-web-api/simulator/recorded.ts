import { z } from 'zod';
import type { SimulatedClock } from '../../../../src/simulator/clock.ts';
import type { SimulatedAnswer, SimulatedRequest } from '../../../../src/simulator/contract.ts';
import { distort, writeJson } from '../../../../src/simulator/distort.ts';
import { isoOf, microsOf, millisOf, parseIso } from '../../../../src/simulator/instants.ts';
import { Refused } from '../../../../src/simulator/route.ts';
import { hash, visiblePoints, type TruthPoint, type TruthSpec } from '../../../../src/simulator/truth.ts';
import type { PiPoint } from './points.ts';

/** The options of the simulator that decide on values. */
export const recordedFields = {
  truth: z.custom<TruthSpec>((truth) => typeof truth === 'object'),
  /** `MaxReturnedItemsPerCall` of the server. */
  mostReturned: z.int().min(1).default(150_000),
  /** Whether `maxCount` of a stream set is for each stream or for all together; the documentation leaves it open. */
  setCount: z.enum(['each', 'all']).default('each'),
  /** A bad value: a system state, as the archive keeps it, or its number with `Good: false`. */
  badAs: z.enum(['state', 'number']).default('state'),
  /** One value in this many carries `Errors`; 0 is none. */
  errorEvery: z.int().min(0).default(0),
  /** The n-th answer with values ends half-way with a `WebException`; 0 is none. */
  breaksAt: z.int().min(0).default(0),
};
type RecordedOptions = z.output<z.ZodObject<typeof recordedFields>>;

const time = z.string().transform((text, context) => {
  const parsed = text.endsWith('Z') ? parseIso(text) : undefined;
  if (!parsed) context.addIssue(`only absolute times in UTC are simulated, not ${text}`);
  return parsed ?? z.NEVER;
});

/** Without `startTime` and `endTime` the product takes the last day: here they are demanded. */
export const recordedQuestion = z.strictObject({
  startTime: time,
  endTime: time,
  boundaryType: z.enum(['Inside']).default('Inside'),
  maxCount: z
    .string()
    .regex(/^[1-9]\d*$/)
    .transform(Number)
    .default(1000),
  selectedFields: z.string().min(1).optional(),
});
type RecordedQuestion = z.output<typeof recordedQuestion>;

type Instant = NonNullable<ReturnType<typeof parseIso>>;
const later = (one: Instant, other: Instant): number => one.micros - other.micros || one.finer - other.finer;
const instantOf = (point: TruthPoint): Instant => ({ micros: microsOf(point), finer: point.finer ?? 0 });

/** Recorded values: both ends belong to the range, the first `maxCount` come, and nothing tells that there are more. */
export function recordedValues(options: RecordedOptions, clock: SimulatedClock) {
  const { truth, mostReturned, setCount, breaksAt } = options;
  let answers = 0;

  function itemsOf(point: PiPoint, { startTime, endTime }: RecordedQuestion, most: number, request: SimulatedRequest) {
    const as = request.badSensors.find((bad) => bad.device === point.device.id)?.as;
    if (as === 'missing') throw new Refused(404, `The point ${point.name} was not found.`);
    if (as === 'forbidden') throw new Refused(403, `Access to ${point.name} is denied.`);
    if (as === 'broken') throw new Refused(500, 'PI data archive error');
    const isBackwards = later(startTime, endTime) > 0;
    const [first, last] = isBackwards ? [endTime, startTime] : [startTime, endTime];
    // One microsecond more at the end, because the truth excludes its end and may have points 100 ns apart.
    const stretch = { fromMs: millisOf(first.micros), toMs: millisOf(last.micros + 1) };
    const order = isBackwards ? 'DESC' : 'ASC';
    const found: TruthPoint[] = [];
    for (const one of visiblePoints(truth, point.device.id, point.key.name, stretch, { nowMs: clock.nowMs(), order })) {
      const instant = instantOf(one);
      if (later(instant, first) < 0 || later(instant, last) > 0) continue;
      if (found.length === most) break;
      found.push(one);
    }
    return distort(found, request.pointEffects, clock.nowMs(), order).map((one) => written(one, point, options));
  }

  function answer(body: { Items: readonly unknown[] }, { selectedFields }: RecordedQuestion): SimulatedAnswer {
    answers += 1;
    const isBroken = answers === breaksAt;
    const Items = isBroken ? body.Items.slice(0, Math.ceil(body.Items.length / 2)) : body.Items;
    const WebException = isBroken ? { Errors: ['The stream ended unexpectedly.'], StatusCode: 500 } : null;
    return { status: 200, body: writeJson(selected({ ...body, Items, WebException }, selectedFields)) };
  }

  const capped = ({ maxCount }: RecordedQuestion): number => {
    if (maxCount > mostReturned) throw new Refused(400, 'maxCount is greater than the maximum allowed.');
    return maxCount;
  };

  return {
    ofOne(point: PiPoint, question: RecordedQuestion, request: SimulatedRequest): SimulatedAnswer {
      return answer({ Items: itemsOf(point, question, capped(question), request) }, question);
    },
    ofMany(points: readonly PiPoint[], question: RecordedQuestion, request: SimulatedRequest): SimulatedAnswer {
      let left = capped(question);
      const streams = points.map((point) => {
        const Items = itemsOf(point, question, left, request);
        if (setCount === 'all') left -= Items.length;
        return {
          WebId: point.webId,
          Name: point.name,
          Path: `\\\\PISRV01\\${point.name}`,
          UnitsAbbreviation: '',
          Items,
          Links: {},
        };
      });
      return answer({ Items: streams }, question);
    },
  };
}

/** A system state, which is a status and not a reading; a digital state is one of the states of its point. */
function written(
  { ts, finer, value, quality = 'good' }: Pick<TruthPoint, 'ts' | 'finer' | 'quality'> & { value: unknown },
  { key }: PiPoint,
  { badAs, errorEvery }: RecordedOptions,
): object {
  const Timestamp = isoOf({ ts, ...(finer !== undefined && { finer }) }, 7).replace(/\.?0*Z$/, 'Z');
  const isBad = quality === 'bad';
  const Value =
    isBad && badAs === 'state' ? { Name: 'I/O Timeout', Value: 246, IsSystem: true } : valueOf(value, key.states);
  const isSystem = typeof Value === 'object' && Value !== null && Value.IsSystem;
  const Errors = errorEvery > 0 && hash(0, 'errors', ts) % errorEvery === 0;
  return {
    Timestamp,
    Value,
    UnitsAbbreviation: '',
    Good: !isBad && !isSystem,
    Questionable: quality === 'uncertain',
    Substituted: quality === 'substituted',
    Annotated: false,
    ...(Errors && { Errors: [{ FieldName: 'Value', Message: ['The value could not be read.'] }] }),
  };
}

function valueOf(value: unknown, states: readonly string[] | undefined) {
  if (typeof value === 'boolean') return { Name: value ? 'On' : 'Off', Value: Number(value), IsSystem: false };
  if (typeof value !== 'object' || value === null) return value as null;
  if (!('state' in value)) return JSON.stringify(value) as unknown as null;
  const { state, code } = value as unknown as { state: string; code: number };
  return { Name: state, Value: code, IsSystem: !states?.includes(state) };
}

/** Only the named fields, as `Items.Timestamp;Items.Value`. What is not named is gone, errors included. */
export function selected(body: object, selectedFields: string | undefined): object {
  if (selectedFields === undefined) return body;
  const pick = (part: unknown, paths: readonly (readonly string[])[]): unknown => {
    if (Array.isArray(part)) return part.map((one) => pick(one, paths));
    if (typeof part !== 'object' || part === null || paths.some((path) => path.length === 0)) return part;
    const kept = Object.entries(part).filter(([name]) => paths.some(([first]) => first === name));
    const below = (name: string) => paths.filter(([first]) => first === name).map((path) => path.slice(1));
    return Object.fromEntries(kept.map(([name, inner]) => [name, pick(inner, below(name))]));
  };
  return pick(
    body,
    selectedFields.split(';').map((path) => path.split('.')),
  ) as object;
}
