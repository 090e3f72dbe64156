import { z } from 'zod';
import type { SimulatedClock } from '../../../../src/simulator/clock.ts';
import type { SimulatedAnswer, SimulatedRequest } from '../../../../src/simulator/contract.ts';
import { distort, writeJson } from '../../../../src/simulator/distort.ts';
import { isoOf, microsOf, millisOf, parseIso } from '../../../../src/simulator/instants.ts';
import { Refused } from '../../../../src/simulator/route.ts';
import { visiblePoints, type KeySpec, type TruthPoint, type TruthSpec } from '../../../../src/simulator/truth.ts';
import { kindOf, type SdsStream } from './streams.ts';

/** The options of the simulator that decide on events. */
export const eventFields = {
  truth: z.custom<TruthSpec>((truth) => typeof truth === 'object'),
  /** The boundary where the client names none; not documented, so a client should name it. */
  defaultBoundary: z.enum(['Exact', 'Inside']).default('Inside'),
  /** The most events that one call may touch: 250,000 or 2,500,000 by the age of the documentation. */
  mostEvents: z.int().min(1).default(250_000),
  /** Whether a full last page has a token; not documented. */
  tokenAfterLast: z.boolean().default(false),
  /** A `DateTimeOffset` is written in the zone of its sender, here two hours east. */
  keyType: z.enum(['DateTime', 'DateTimeOffset']).default('DateTime'),
  /** Whether the short form leaves 0 out where a property may be null, too; not documented. */
  nullableZero: z.enum(['omitted', 'kept']).default('omitted'),
  /** A bad value of a PI stream: null with a system state, or its number marked as questionable. */
  badAs: z.enum(['state', 'number']).default('state'),
};
type EventOptions = z.output<z.ZodObject<typeof eventFields>>;

const time = z.string().transform((text, context) => {
  const parsed = parseIso(text);
  if (!parsed) context.addIssue(`not an absolute time with a zone: ${text}`);
  return parsed ?? z.NEVER;
});

const boundaries = ['Exact', 'Inside', 'Outside'] as const;
const boundary = z
  .enum(['0', '1', '2', ...boundaries])
  .transform((word) => boundaries[Number(word)] ?? (word as (typeof boundaries)[number]))
  .optional();

/** A window; with `count` it has pages, and the first one is asked for with an empty token. */
export const eventsQuestion = z
  .strictObject({
    startIndex: time,
    endIndex: time,
    boundaryType: boundary,
    startBoundaryType: boundary,
    endBoundaryType: boundary,
    count: z
      .string()
      .regex(/^[1-9]\d*$/)
      .transform(Number)
      .optional(),
    continuationToken: z.union([z.literal('').transform(() => null), time]).optional(),
  })
  .refine(
    (one) => (one.count === undefined) === (one.continuationToken === undefined),
    'count and continuationToken belong together',
  )
  .refine(
    (one) => (one.startBoundaryType === undefined) === (one.endBoundaryType === undefined),
    'both boundaries or none',
  )
  .refine((one) => one.boundaryType === undefined || one.startBoundaryType === undefined, 'boundaryType stands alone');

type Instant = NonNullable<ReturnType<typeof parseIso>>;
const later = (one: Instant, other: Instant): number => one.micros - other.micros || one.finer - other.finer;
const instantOf = (point: TruthPoint): Instant => ({ micros: microsOf(point), finer: point.finer ?? 0 });

/** The properties of an event besides its index, by instant: the points of every key of the stream. */
type Row = readonly (readonly [KeySpec, Pick<TruthPoint, 'ts' | 'finer' | 'quality'> & { value: unknown }])[];

export function eventPages(options: EventOptions, clock: SimulatedClock) {
  const { truth, defaultBoundary, mostEvents, tokenAfterLast } = options;

  /** At most `most` events: those that lie in the window by its boundaries, one more at an end that is `Outside`. */
  function* instants({ device, keys }: SdsStream, question: z.output<typeof eventsQuestion>): Generator<Instant> {
    const { startIndex, endIndex, boundaryType = defaultBoundary, continuationToken } = question;
    const [key] = keys;
    const [start, end] = [question.startBoundaryType ?? boundaryType, question.endBoundaryType ?? boundaryType];
    if (!key) return;
    const points = (fromMs: number, toMs: number, order: 'ASC' | 'DESC') =>
      visiblePoints(truth, device.id, key.name, { fromMs, toMs }, { nowMs: clock.nowMs(), order });
    if (start === 'Outside' && !continuationToken) {
      for (const point of points(-Infinity, millisOf(startIndex.micros), 'DESC')) {
        yield instantOf(point);
        break;
      }
    }
    const first = continuationToken ?? startIndex;
    for (const point of points(millisOf(first.micros), Infinity, 'ASC')) {
      const instant = instantOf(point);
      const isAfterStart =
        later(instant, first) > 0 || (!continuationToken && start !== 'Inside' && later(instant, first) === 0);
      if (!isAfterStart) continue;
      const distance = later(instant, endIndex);
      if (distance < 0 || (distance === 0 && end !== 'Inside')) yield instant;
      else if (end !== 'Outside') return;
      else return void (yield instant);
    }
  }

  function rowsOf({ device, keys }: SdsStream, shown: readonly Instant[], { pointEffects }: SimulatedRequest): Row[] {
    if (pointEffects.some(({ kind }) => kind === 'duplicate-timestamps'))
      throw new Error('the index of a stream is unique');
    const [first, last] = [shown[0], shown.at(-1)];
    if (!first || !last) return [];
    const stretch = { fromMs: millisOf(first.micros), toMs: millisOf(last.micros + 1) };
    const wanted = new Set(shown.map(({ micros, finer }) => `${micros} ${finer}`));
    const rows = new Map<string, Row>();
    for (const key of keys) {
      const points = [...visiblePoints(truth, device.id, key.name, stretch, { nowMs: clock.nowMs() })];
      const found = points.filter((point) => wanted.has(nameOf(instantOf(point))));
      for (const point of distort(found, pointEffects, clock.nowMs(), 'ASC')) {
        const name = `${nameOf({ micros: microsOf(point), finer: point.finer ?? 0 })}`;
        rows.set(name, [...(rows.get(name) ?? []), [key, point]]);
      }
    }
    // An event has all its properties, so one of them that is late keeps the event back.
    return [...rows.values()].filter((row) => row.length === keys.length);
  }

  return (stream: SdsStream, question: z.output<typeof eventsQuestion>, request: SimulatedRequest): SimulatedAnswer => {
    const { count, startIndex, endIndex } = question;
    if (later(endIndex, startIndex) < 0) throw new Refused(400, 'The start index is after the end index.');
    const verbosity = request.headers['accept-verbosity'] ?? 'non-verbose';
    if (verbosity !== 'verbose' && verbosity !== 'non-verbose')
      throw new Refused(400, `Accept-Verbosity: ${String(verbosity)}`);
    const shown: Instant[] = [];
    let isMore = false;
    for (const instant of instants(stream, question)) {
      isMore = shown.length === count;
      if (isMore) break;
      if (shown.push(instant) > mostEvents)
        throw new Refused(400, `Exceeded the maximum return count of ${mostEvents} events.`);
    }
    const events = rowsOf(stream, shown, request).map((row) => eventOf(row, stream, verbosity === 'verbose', options));
    if (count === undefined) return { status: 200, body: writeJson(events) };
    const last = shown.at(-1);
    const goesOn = last !== undefined && (isMore || (tokenAfterLast && shown.length === count));
    const ContinuationToken = goesOn ? isoOf({ ts: millisOf(last.micros), finer: last.finer }, 7) : null;
    return { status: 200, body: writeJson({ Results: events, ContinuationToken }) };
  };
}

const nameOf = ({ micros, finer }: Instant): string => `${micros} ${finer}`;

/** The short form leaves out whatever has the default of its type: 0, false and null. */
function eventOf(
  row: Row,
  { isPi }: SdsStream,
  isVerbose: boolean,
  { keyType, nullableZero, badAs }: EventOptions,
): object {
  const [[key, point] = []] = row;
  if (!key || !point) return {};
  const index = { [isPi ? 'Timestamp' : 'Time']: indexOf(point, keyType) };
  const full = isPi
    ? piEvent(key, point, badAs)
    : Object.fromEntries(row.map(([{ name }, { value }]) => [name, value]));
  if (isVerbose) return { ...index, ...full };
  const isDefault = ([name, value]: [string, unknown]) =>
    value === null || value === false || (value === 0 && !(isPi && name === 'Value' && nullableZero === 'kept'));
  return { ...index, ...Object.fromEntries(Object.entries(full).filter((entry) => !isDefault(entry))) };
}

function indexOf(point: Pick<TruthPoint, 'ts' | 'finer'>, keyType: EventOptions['keyType']): string {
  const shiftMs = keyType === 'DateTime' ? 0 : 7_200_000;
  const written = isoOf({ ...point, ts: point.ts + shiftMs }, 7).replace(/\.?0*Z$/, '');
  return `${written}${keyType === 'DateTime' ? 'Z' : '+02:00'}`;
}

function piEvent(key: KeySpec, { value, quality = 'good' }: Row[number][1], badAs: EventOptions['badAs']): object {
  const flags = {
    IsQuestionable: quality === 'uncertain' || quality === 'bad',
    IsSubstituted: quality === 'substituted',
    IsAnnotated: false,
  };
  const system = (SystemStateCode: number, DigitalStateName: string) => ({
    Value: null,
    ...flags,
    IsQuestionable: true,
    SystemStateCode,
    DigitalStateName,
  });
  if (quality === 'bad' && badAs === 'state') return system(246, 'I/O Timeout');
  const normal = { ...flags, SystemStateCode: null, DigitalStateName: null };
  if (typeof value === 'boolean') return { Value: Number(value), ...normal, DigitalStateName: value ? 'On' : 'Off' };
  if (typeof value !== 'object' || value === null) return { Value: value, ...normal };
  if (!('state' in value)) return { Value: JSON.stringify(value), ...normal };
  const { state, code } = value as { state: string; code: number };
  return kindOf(key) === 'digital' ? { Value: code, ...normal, DigitalStateName: state } : system(code, state);
}
