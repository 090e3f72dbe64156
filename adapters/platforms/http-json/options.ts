import { z } from 'zod';
import { DAY, MICROSECOND } from '../../../src/core/instant.ts';
import { duration, text, zone } from '../../../src/core/source/fields.ts';
import { authorisationFields } from './authorisation-fields.ts';
import { contradictions } from './contradictions.ts';
import { expression } from './expression.ts';

const query = z
  .record(z.string(), z.string())
  .default({})
  .describe(
    'Parameters of the query, as templates. A parameter whose placeholder has no value, such as {cursor} on the first page, is left out.',
  );

const request = {
  method: z.enum(['GET', 'POST']).default('GET').describe('Method of the request.'),
  path: text('Path below `connection.url`, as a template.', 1000),
  query,
  body: z
    .unknown()
    .exactOptional()
    .describe(
      'Body of a POST as JSON; texts in it are templates, and one that is a placeholder alone becomes its value.',
    ),
};

const instantForms = ['iso', 'local', 's', 'ms', 'us', 'ns'] as const;

/** The `options` of an http-json source. */
export const httpJsonOptions = z
  .strictObject({
    authorisation: z.strictObject(authorisationFields).describe('How requests are signed.'),
    sensors: z
      .strictObject({
        list: z
          .array(text('Identifier of a sensor.', 500))
          .min(1)
          .exactOptional()
          .describe('The sensors, where no request lists them.'),
        request: z
          .strictObject(request)
          .exactOptional()
          .describe('The request that lists all sensors in one answer, in JSON.'),
        each: expression('The sensors in that answer: a list of {"id", "name"}.').exactOptional(),
        none: expression(
          'True for an answer without sensors because there are none. Any other one without them is an error.',
        ).exactOptional(),
        perRequest: z.int().min(1).max(10_000).describe('How many sensors one request of readings may name.'),
        separator: text(
          'Text between the sensors of {sensors}. Without it a parameter or list has one entry for each.',
          5,
        ).exactOptional(),
      })
      .describe('Which sensors there are.'),
    readings: z
      .strictObject(request)
      .describe('The request for one window: templates with {from}, {to}, {sensors}, and those of the paging.'),
    times: z
      .strictObject({
        write: z
          .enum(instantForms)
          .describe(
            'Form of {from} and {to}: `iso`, `local` (ISO without offset), or a number of `s`, `ms`, `us` or `ns` since 1970.',
          ),
        read: z
          .enum(instantForms)
          .describe(
            'Form of the times in an answer. An `iso` time needs its offset; `local` times need `mapping.timezone`.',
          ),
        zone: zone('Zone in which `iso` times are written, with its offset. Default: UTC.').exactOptional(),
      })
      .describe('How times are written.'),
    answer: z
      .strictObject({
        body: z
          .enum(['json', 'ndjson', 'csv'])
          .describe(
            '`ndjson` becomes a list of its lines, `csv` a list of rows by the names in its first line; every cell of it is text.',
          ),
        delimiter: z.string().length(1).default(',').describe('Between the cells of `csv`.'),
        points: expression(
          'The points of an answer: a list of {"sensor", "at", "variable", "value"}, or with "values": {variable: value}. "sensor" may be left out where a request names one, and "quality" may be added.',
        ),
        empty: expression(
          'True for an answer that has no points because there are none. Any other answer without points is an error.',
        ),
        emptyStatuses: z
          .array(z.int().min(400).max(499))
          .default([])
          .describe('Error statuses that mean: no points. Their answer has to pass `empty`.'),
        error: expression('The words of an error inside a 200; nothing where there is none.').exactOptional(),
        failed: expression(
          'Sensors that could not be read beside others that could: a list of {"sensor", "message"}.',
        ).exactOptional(),
      })
      .describe('How an answer is read.'),
    paging: z
      .strictObject({
        by: z
          .enum(['none', 'link', 'cursor', 'offset', 'page', 'time'])
          .describe(
            'How the next page is asked for: not at all, by a link, by {cursor}, {offset}, {page}, or from the last time on.',
          ),
        next: expression(
          'The link or the cursor in an answer. `$headers` has the headers of the answer, by names in lower case.',
        ).exactOptional(),
        ends: z
          .array(z.enum(['absent', 'null', 'empty']))
          .min(1)
          .exactOptional()
          .describe('The forms in which an answer says that there is no next page.'),
        size: z.int().min(1).max(1_000_000).exactOptional().describe('{size}: how many items a page is asked to have.'),
        first: z.int().min(0).max(1).exactOptional().describe('Number of the first {page}.'),
      })
      .describe('How an answer goes on.'),
    exactness: z
      .strictObject({
        bounds: z
          .enum(['[)', '[]', '(]', '()', 'unknown'])
          .describe('Whether points at {from} and at {to} belong to the answer: a square bracket takes its end in.'),
        resolution: duration('The steps in which {from} and {to} are written.', { atLeast: MICROSECOND, atMost: DAY }),
        order: z
          .enum(['ascending', 'descending', 'none'])
          .describe('Order of time of the points of a sensor in an answer.'),
        cap: z
          .union([z.int().min(1), z.literal('none')])
          .describe('The most items that one answer has, whatever {size} says; `none` where nothing cuts it.'),
        sameInstant: z.enum(['one', 'many']).describe('Whether a variable may have several points at one instant.'),
        failsAs: z
          .enum(['status', 'inside-200', 'whole-batch'])
          .describe(
            'How a bad sensor among good ones shows: by the status of its own request, inside a 200 (`answer.failed`), or as a failure of all.',
          ),
        tooMuch: z.array(z.int().min(400).max(599)).describe('Statuses that mean: this window is too long.'),
        longestWindow: duration('The longest window that may be asked for.', {
          atLeast: MICROSECOND,
          atMost: 366 * DAY,
        }),
        proof: z
          .enum(['no-next', 'count', 'trailer', 'empty-page', 'none'])
          .describe(
            'What proves that all pages came: the absence of a link or cursor, a count, a trailer, an empty page, or nothing.',
          ),
        count: expression('How many items all pages of the question have together.').exactOptional(),
        trailer: expression('True for the last page only.').exactOptional(),
        quality: z
          .record(z.string(), z.union([z.int().min(0).max(100), z.literal('refuse')]))
          .exactOptional()
          .describe('What the qualities of points mean: a precision of 0 to 100, or `refuse`.'),
      })
      .describe(
        'What an answer holds. Nothing here has a default, because a wrong guess loses readings without an error.',
      ),
    unproven: z
      .literal('accepted')
      .exactOptional()
      .describe('Accepts a source without a proof that its answers are complete. It is marked in every list.'),
  })
  .superRefine(contradictions);

/** The options of a source as parsed. */
export type HttpJsonSettings = z.output<typeof httpJsonOptions>;
