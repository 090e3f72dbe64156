import { z } from 'zod';
import { contractBroken } from '../../../src/core/errors.ts';
import { formatInstant } from '../../../src/core/instant.ts';
import type { Instant } from '../../../src/core/instant.ts';
import type { Quality } from '../../../src/core/quality.ts';
import type { Samples } from '../../../src/core/samples.ts';
import type { Window } from '../../../src/core/window.ts';
import { excerpt } from './expression.ts';
import type { HttpJsonSettings } from './options.ts';
import { readTime } from './times.ts';

/** One item of an answer as `answer.points` gives it: the values of a sensor at one time. */
export interface Item {
  readonly sensor: string;
  /** NaN where the time cannot be parsed. */
  readonly at: Instant;
  readonly text: string;
  readonly values: Readonly<Record<string, unknown>>;
  readonly quality: Quality | undefined;
}

/** The variable of a point that names none. */
const NAMELESS = 'value';

const point = z.strictObject({
  sensor: z.string().min(1).exactOptional(),
  at: z.union([z.string(), z.number()]),
  variable: z.string().min(1).exactOptional(),
  value: z.unknown(),
  values: z.record(z.string(), z.unknown()).exactOptional(),
  quality: z.union([z.string(), z.number()]).nullish(),
});

type Point = z.output<typeof point>;

/** Whether a point has the usual fields: the schema says the same, and takes several times as long. */
function isPlain(found: unknown): found is Point {
  if (typeof found !== 'object' || found === null) return false;
  for (const field of Object.keys(found)) if (!PLAIN.has(field)) return false;
  const { sensor, at, variable } = found as Record<string, unknown>;
  return isName(sensor) && (typeof at === 'string' || Number.isFinite(at)) && isName(variable);
}

const PLAIN = new Set(['sensor', 'at', 'variable', 'value']);

/** Absent fields are undefined here; one that is given as undefined is not found in what JSONata makes. */
const isName = (given: unknown): boolean => given === undefined || (typeof given === 'string' && given !== '');

function checkedPoint(found: unknown): Point {
  const parsed = point.safeParse(found);
  if (!parsed.success) throw odd(z.prettifyError(parsed.error), found);
  return parsed.data;
}

/** The items of `answer.points`. `only` is the sensor of a question for one. Any other shape is `contract-broken`. */
export function itemsOf(
  found: readonly unknown[],
  only: string | undefined,
  read: HttpJsonSettings['times']['read'],
): Item[] {
  return found.map((each) => {
    const {
      sensor = only,
      at,
      variable = NAMELESS,
      value,
      values,
      quality,
    } = isPlain(each) ? each : checkedPoint(each);
    if (sensor === undefined) throw odd('a point without "sensor", and the request names several', each);
    const hasValue = Object.hasOwn(each as object, 'value');
    if (hasValue === (values !== undefined)) throw odd('a point needs either "value" or "values"', each);
    return {
      sensor,
      at: readTime(at, read),
      text: String(at),
      values: values ?? { [variable]: value },
      quality: quality ?? undefined,
    };
  });
}

const odd = (message: string, item: unknown) => contractBroken(`answer.points: ${message}`, excerpt(item));

/** The first and the last point of a sensor in a page. */
export interface Edge {
  readonly sensor: string;
  readonly first: Instant;
  readonly text: string;
  readonly last: Instant;
}

/** What points are held against. */
export interface Held {
  readonly window: Window;
  readonly order: HttpJsonSettings['exactness']['order'];
}

/**
 * Holds an item against the declaration, and notes it. A point outside the asked time shows a platform that does not understand
 * {from} and {to}: it may have answered the latest value only.
 */
export function holdPoint({ at, sensor, text }: Item, { order, window }: Held, edges: Map<string, Edge>): void {
  if (Number.isNaN(at)) return;
  if (at < window.from || at > window.to) {
    throw contractBroken(
      `a point of ${sensor} at ${text}, and ${formatInstant(window.from)} to ${formatInstant(window.to)} was asked for: check {from}, {to} and \`times\``,
    );
  }
  holdNext({ sensor, first: at, text, last: at }, order, edges);
}

/** Holds the points of a sensor against those before them, and notes the last one. */
export function holdNext(next: Edge, order: Held['order'], edges: Map<string, Edge>): void {
  const { sensor, first, text, last } = next;
  const before = edges.get(sensor);
  if (before === undefined) edges.set(sensor, next);
  else {
    if (order === 'ascending' ? first < before.last : order === 'descending' && first > before.last)
      throw contractBroken(`points of ${sensor} are not ${order} at ${text}, as \`exactness.order\` declares`);
    edges.set(sensor, { sensor, first: before.first, text: before.text, last });
  }
}

interface Columns {
  at: Instant[];
  values: unknown[];
  rawInstants: string[];
  quality: (Quality | undefined)[];
}

/** The items as columns, one for each sensor and variable, in the order in which they came. */
export function samplesOfItems(items: readonly Item[]): Samples[] {
  const columns = new Map<string, Map<string, Columns>>();
  for (const { sensor, at, text, values, quality } of items) {
    const own = columns.get(sensor) ?? new Map<string, Columns>();
    columns.set(sensor, own);
    for (const [variable, value] of Object.entries(values)) {
      const column = own.get(variable) ?? { at: [], values: [], rawInstants: [], quality: [] };
      own.set(variable, column);
      column.at.push(at);
      column.values.push(value);
      column.rawInstants.push(text);
      column.quality.push(quality);
    }
  }
  return [...columns].flatMap(([sensor, own]) =>
    [...own].flatMap(([variable, { quality, rawInstants, ...instants }]) => {
      // The texts are only shown for times that are none, and take as long to hand over as all else.
      const column = instants.at.some(Number.isNaN) ? { ...instants, rawInstants } : instants;
      const known = quality.filter((one) => one !== undefined);
      if (known.length === 0) return [{ sensor, variable, ...column }];
      if (known.length < quality.length)
        throw contractBroken(
          `answer.points: of ${sensor} ${variable} some points have a "quality" and others have none`,
        );
      return [{ sensor, variable, ...column, quality: known }];
    }),
  );
}
