import { z } from 'zod';
import { contractBroken } from '../../../src/core/errors.ts';
import type { Instant } from '../../../src/core/instant.ts';
import type { Quality } from '../../../src/core/quality.ts';
import type { Samples } from '../../../src/core/samples.ts';
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

/** The items of `answer.points`. `only` is the sensor of a question for one. Any other shape is `contract-broken`. */
export function itemsOf(
  found: readonly unknown[],
  only: string | undefined,
  { read }: HttpJsonSettings['times'],
): Item[] {
  return found.map((each) => {
    const parsed = point.safeParse(each);
    if (!parsed.success) throw odd(z.prettifyError(parsed.error), each);
    const { sensor = only, at, variable = NAMELESS, value, values, quality } = parsed.data;
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
    [...own].flatMap(([variable, { quality, ...column }]) => {
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
