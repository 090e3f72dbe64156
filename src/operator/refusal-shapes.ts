import { z } from 'zod';
import { placeOfVariable } from '../core/kept-refusals.ts';
import type { refusalsDocument } from '../core/kept-refusals.ts';
import { REFUSALS } from '../core/reading.ts';
import type { RefusalReason } from '../core/reading.ts';
import type { resemblingDocument } from '../source/held-names.ts';
import { answered, shows } from './documents.ts';
import { noCursor, pageBehind, pageQuery, textsIn, timeField } from './route-shapes.ts';

/** The query of a route on refused points. */
export const refusalQuery = z.object({
  reason: z.enum(Object.keys(REFUSALS) as [RefusalReason, ...RefusalReason[]]).optional(),
  sensor: z.string().max(300).optional(),
  from: timeField.optional(),
  to: timeField.optional(),
  limit: z.coerce.number().int().min(1).max(1000).default(100).describe('At most this many variables.'),
  cursor: pageQuery.shape.cursor,
});

/** The place behind which a page of variables begins. Throws 400 for the cursor of another list. */
export function variablesBehind(cursor: string | undefined): readonly string[] | undefined {
  const place = textsIn(cursor, 5);
  if (place !== undefined && !/^\d{1,15}$/.test(place[0] as string)) throw noCursor();
  return place;
}

type Refusals = ReturnType<typeof refusalsDocument> &
  ReturnType<typeof resemblingDocument> & { readonly undated?: number; readonly next?: string | null };

const sum = {
  reason: z.string(),
  refused: z.int(),
  first: z.string().nullable().describe('The instant of the first; null where none could be read.'),
  last: z.string().nullable(),
};

const EXAMPLE = {
  reason: 'text-number',
  refused: 12,
  first: '2026-11-22T10:00:00Z',
  last: '2026-11-22T10:11:00Z',
};

/** The refused points of one reason. */
export const reasonSumSchema = z.object({
  ...sum,
  series: z.int().describe('Variables.'),
  meaning: z.string(),
  remedy: z.string(),
});

/** The answer of a route on refused points. */
export const refusalsSchema = shows<Refusals>()(
  z
    .object({
      reasons: z.array(reasonSumSchema).describe('The most frequent first.'),
      series: z
        .array(
          z.object({
            ...sum,
            sensor: z.string(),
            variable: z.string(),
            project: z.string().optional().describe('Of a push: the code of its project.'),
            examples: z.array(z.object({ at: z.string().nullable(), raw: z.string() })),
          }),
        )
        .describe('By variable, those with most points first.'),
      resembling: z
        .array(
          z.object({
            sensorId: z.string(),
            valueName: z.string(),
            near: z.array(z.object({ sensorId: z.string(), valueName: z.string() })),
          }),
        )
        .optional()
        .describe('Names among them that are held back and resemble series of the project.'),
      next: z
        .string()
        .nullable()
        .optional()
        .describe('The cursor of the variables behind these; null behind the last.'),
      undated: z.int().optional().describe('Of a source: points that were counted without their instants.'),
    })
    .meta({
      id: 'Refusals',
      examples: [
        {
          reasons: [
            {
              ...EXAMPLE,
              series: 1,
              meaning: REFUSALS['text-number'],
              remedy: 'map the text to a number on the platform',
            },
          ],
          series: [{ ...EXAMPLE, sensor: 'pump-7', variable: 'state', examples: [{ at: EXAMPLE.first, raw: '"on"' }] }],
        },
      ],
    }),
);

/** Refusals as an answer, with as many of at most `limit` variables as fit. */
export function refusalsAnswer<T extends Refusals>(document: T, limit: number) {
  const { items: series, next } = pageBehind(document.series, limit, (one) => one, placeOfVariable);
  return answered({ ...document, series, next });
}
