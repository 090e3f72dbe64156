import { z } from 'zod';
import { DAY, MILLISECOND, SECOND } from '../instant.ts';
import { LOOK_BACK_AT_MOST } from '../look-back.ts';
import { duration, startField, text, zone } from './fields.ts';
import { DEFAULT_ORGANISATION } from './source-name.ts';

/** The parts of a source that do not depend on its kind and platform. Operators read every description. */

const unique = (items: readonly string[]): boolean => new Set(items).size === items.length;

const tls = z
  .strictObject({
    ca: z
      .string()
      .regex(/^(\/|-----BEGIN CERTIFICATE-----)/, 'is neither an absolute path nor a PEM certificate')
      .describe('Certificates to trust besides the public ones: an absolute path of a PEM file, or the PEM text itself')
      .meta({ examples: ['/etc/databridge/plant-ca.pem'] })
      .exactOptional(),
    serverName: text(
      'Name the certificate was made for, where it differs from the host of the address',
      253,
    ).exactOptional(),
  })
  .describe('How the certificate of the platform is checked; the check cannot be turned off')
  .meta({
    unknownKey:
      'certificates are always checked; name the authority of the plant in ca (the keys here are: ca, serverName)',
  });

const schedule = z
  .strictObject({
    every: duration('How often the platform is asked for new points', { atLeast: 250 * MILLISECOND }),
    start: startField('Where readings begin: an instant, or how far before registration').prefault('0s'),
    settle: duration(
      'How old a point must be before it is asked for, because it may arrive late. Default: by platform',
    ).exactOptional(),
    overlap: duration(
      'How much of the time already read is asked again for late points. Default: by platform',
    ).exactOptional(),
    lookBackAtMost: duration(
      'How late a point may come and still be found: time already read is asked again a few times until it is this old. 0s: only the overlap',
    ).prefault(LOOK_BACK_AT_MOST),
    maxWindow: duration('Longest window asked for at once. Default: by platform', {
      atLeast: MILLISECOND,
    }).exactOptional(),
    align: duration('Windows end on whole multiples of this. Default: 1s, or every where that is less', {
      atLeast: MILLISECOND,
    }).exactOptional(),
    catchUp: z.enum(['newest', 'oldest']).default('newest').describe('Which end of the missing past is read first'),
  })
  .describe('When the platform is asked, and for which time');

const clock = (description: string): z.ZodString =>
  z
    .string()
    .regex(/^(([01]\d|2[0-3]):[0-5]\d|24:00)$/, 'is not a time of day')
    .describe(description)
    .meta({ examples: ['06:00', '22:30'] });

const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

const quietHours = z
  .strictObject({
    from: clock('Time of day at which silence begins'),
    to: clock('Time of day at which it ends; at or before "from" means on the next day'),
    zone: zone('Time zone of both'),
    days: z
      .array(z.enum(DAYS))
      .min(1)
      .refine(unique, { message: 'holds a day twice', params: { remedy: 'name each day once' } })
      .describe('Days on which silence begins. Default: every day')
      .exactOptional(),
  })
  .describe('Hours in which the platform is left alone');

const pace = z
  .strictObject({
    requestsPerSecond: z
      .number()
      .gt(0)
      .describe('Requests a second, over all hosts. Default: by platform')
      .exactOptional(),
    burst: z
      .int()
      .min(1)
      .describe('Requests that may leave at once after a time without any. Default: by platform')
      .exactOptional(),
    concurrency: z
      .int()
      .min(1)
      .describe('Requests that may be open at the same time. Default: by platform')
      .exactOptional(),
    quietHours: z.array(quietHours).default([]).describe('Hours in which the platform is left alone'),
    longestSilence: duration(
      'Longest silence that the platform may ask for with Retry-After; asked for more, the bridge tries again after this',
      {
        atLeast: SECOND,
        atMost: DAY,
      },
    ).prefault('1h'),
  })
  .describe('How fast the platform may be asked; never exceeded');

const labels = z
  .array(text('A label', 128))
  .max(32)
  .refine(unique, { message: 'holds a label twice', params: { remedy: 'name each label once' } });

const valueChoice = z
  .strictObject({
    as: z
      .string()
      .regex(/^[A-Za-z0-9_]{1,128}$/)
      .describe('The valueName of its readings: letters, digits and "_", at most 128')
      .meta({ examples: ['axis_x'] })
      .exactOptional(),
    scale: z
      .number()
      .refine((value) => value !== 0, {
        message: '0 would make every reading the same',
        params: { remedy: 'use another factor' },
      })
      .default(1)
      .describe('Factor every value is multiplied by'),
    offset: z.number().default(0).describe('Added to every value after the factor'),
    states: z
      .record(z.string(), z.number())
      .describe(
        'Numbers that stand for states of the variable, by their names, before factor and offset; others are refused',
      )
      .exactOptional(),
    unit: text('Unit of the values after factor and offset; it becomes a label', 128).exactOptional(),
    labels: labels.describe('Labels of its readings, besides those of the source').exactOptional(),
  })
  .describe('How one variable becomes readings');

const sensorChoice = z
  .strictObject({
    id: text('The identifier the platform gives the sensor', 1024),
    as: text('The sensorId of its readings, where it differs').exactOptional(),
    group: text('The group it is read with, where the platform has groups').exactOptional(),
    values: z
      .record(z.string(), valueChoice)
      .describe('How its variables become readings, by their names on the platform; others keep name and values')
      .exactOptional(),
  })
  .describe('A sensor, written "- id: …"');

const sensorTable = z
  .strictObject({
    table: text('A table of sensors beside this file: CSV or YAML, one variable of a sensor a row', 4096).meta({
      examples: ['./tags.csv'],
    }),
  })
  .describe('A table in the place of a list. It is read with this file, and its rows are stored as a list');

const mapping = z
  .strictObject({
    booleans: z.enum(['refuse', 'number']).default('refuse').describe('Whether true and false become 1 and 0'),
    bad: z
      .enum(['refuse', 'keep'])
      .default('refuse')
      .describe('Whether values of bad quality are kept, with precision 0'),
    labels: labels.default([]).describe('Labels every reading of the source gets'),
    timezone: zone(
      'Time zone of the wall clock of a platform that gives local times; needed there, and only there',
    ).exactOptional(),
    dst: z
      .enum(['earlier', 'later', 'refuse'])
      .default('earlier')
      .describe(
        'Which of its two instants a local time in the repeated hour of autumn means; its readings get the label "ambiguous-time"',
      ),
  })
  .describe('How points become readings');

/** The fields of a source except `kind` and `platform` and the blocks they decide: `connection` and `options`. */
export const commonFields = {
  name: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,62}$/)
    .describe('Name of the source, unique in its organisation: a-z, 0-9 and "-", at most 63 characters')
    .meta({ examples: ['hall-3'] }),
  organisation: text('Identifier of the organisation that owns the source', 128).default(DEFAULT_ORGANISATION),
  adapter: text(
    'Where the platform comes from that is no part of databridge: the path of a file, relative to this one, or an npm package',
    1024,
  )
    .meta({ examples: ['./my-platform.ts', 'databridge-my-platform'] })
    .exactOptional(),
  project: text('The ML project code its readings go to; the project must exist first', 128),
  tls: tls.prefault({}),
  schedule,
  pace: pace.prefault({}),
  sensors: z
    .union([z.literal('all'), z.array(sensorChoice).min(1), sensorTable])
    .default('all')
    .describe('Which sensors are read: all, a list, or a table'),
  mapping: mapping.prefault({}),
};

/** The common fields after parsing: with the defaults that all platforms share, durations in µs. */
export type CommonFields = z.output<ReturnType<typeof commonObject>>;

const commonObject = () => z.strictObject(commonFields);

/** An entry of `sensors`. */
export type SensorChoice = z.output<typeof sensorChoice>;
