import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { exampleKinds, examplePlatforms, told } from '../../../test/kit/source-example.ts';
import { formatProblem, problemsOf } from './problems.ts';
import { parseSource } from './source.ts';

describe('the problems an operator reads', () => {
  const cases: readonly [what: string, change: Readonly<Record<string, unknown>>, lines: readonly string[]][] = [
    [
      'an unknown key',
      { shedule: {}, every: '10s' },
      [
        'shedule: unknown key; did you mean "schedule"? The keys here are: name, organisation, adapter, project, tls, schedule, pace, sensors, mapping, kind, platform, connection, options',
        'every: unknown key; it belongs under schedule',
      ],
    ],
    [
      'an unknown key that is like no other',
      { options: { database: 'd', zzz: 1 } },
      ['options.zzz: unknown key; the keys here are: database, epoch, token, read'],
    ],
    [
      'a missing project',
      { project: undefined },
      ['project: is missing; add project: the ML project code its readings go to; the project must exist first'],
    ],
    [
      'an empty project',
      { project: null },
      ['project: is empty; give it a value: the ML project code its readings go to; the project must exist first'],
    ],
    ['a number as text', { project: 7 }, ['project: must be text, not 7; put it in quotes']],
    [
      'text as a number',
      { pace: { concurrency: '2' } },
      ['pace.concurrency: must be a number, not "2"; write it without quotes'],
    ],
    [
      'a list as a mapping',
      { mapping: [] },
      ['mapping: must be a mapping, not a list; its keys are: booleans, bad, labels, timezone, dst'],
    ],
    [
      'a name with blanks',
      { name: 'Hall 3' },
      [
        'name: "Hall 3" does not have the right form; write it like hall-3 (name of the source, unique in its organisation: a-z, 0-9 and "-", at most 63 characters)',
      ],
    ],
    [
      'no schedule',
      { schedule: undefined },
      ['schedule: is missing; add schedule: when the platform is asked, and for which time'],
    ],
    [
      'a duration without unit',
      { schedule: { every: 10 } },
      ['schedule.every: must be text, not 10; write it like 10s, 1m30s, 7d, PT1H'],
    ],
    [
      'a bad duration',
      { schedule: { every: '10 parsecs' } },
      [
        'schedule.every: "10 parsecs" is not a duration; write a number with a unit, like 250ms, 10s, 1m30s, 7d or PT1H',
      ],
    ],
    ['every: 0s', { schedule: { every: '0s' } }, ['schedule.every: "0s" is shorter than 250ms; use 250ms or longer']],
    [
      'a negative settle',
      { schedule: { every: '10s', settle: '-5s' } },
      ['schedule.settle: "-5s" is negative; use 0s or longer'],
    ],
    [
      'a start that is neither instant nor duration',
      { schedule: { every: '10s', start: 'yesterday' } },
      [
        'schedule.start: "yesterday" is neither an instant nor a duration; write an instant like 2026-01-01T00:00:00Z, or how long before registration, like 7d',
      ],
    ],
    [
      'windows shorter than the overlap',
      { schedule: { every: '10s', maxWindow: '30s' } },
      ['schedule.maxWindow: 30s is shorter than the overlap; use 1m or longer, or a shorter overlap'],
    ],
    [
      'an overlap longer than windows are by default',
      { schedule: { every: '10s', overlap: '3d' } },
      ['schedule.overlap: 3d is longer than a window; use 1d or shorter, or a longer maxWindow'],
    ],
    [
      'windows longer than the platform takes',
      { schedule: { every: '10s', maxWindow: '3d' } },
      ['schedule.maxWindow: 3d is longer than the longest window of InfluxDB 1.x; use 1d or shorter'],
    ],
    [
      'windows shorter than the platform takes',
      { schedule: { every: '10s', maxWindow: '500ms', overlap: '0s' } },
      ['schedule.maxWindow: 500ms is shorter than the shortest window of InfluxDB 1.x; use 1s or longer'],
    ],
    [
      'windows shorter than their grid',
      { schedule: { every: '10s', maxWindow: '1m', align: '5m' } },
      ['schedule.align: 5m is longer than a window; use 1m or shorter'],
    ],
    [
      'a platform with a typo',
      { platform: 'influxbd' },
      ['platform: there is no platform "influxbd"; did you mean "influxdb"? The platforms are: influxdb, thingsboard'],
    ],
    [
      'a platform that does not exist',
      { platform: 'oracle' },
      ['platform: there is no platform "oracle"; the platforms are: influxdb, thingsboard'],
    ],
    ['no platform', { platform: undefined }, ['platform: is missing; add one of: influxdb, thingsboard']],
    ['an empty platform', { platform: null }, ['platform: is missing; add one of: influxdb, thingsboard']],
    [
      'a long word for a kind',
      { kind: 'x'.repeat(90) },
      [`kind: there is no kind "${'x'.repeat(60)}"; the kinds are: user-credentials, custom`],
    ],
    [
      'a kind with a typo',
      { kind: 'user_credential' },
      [
        'kind: there is no kind "user_credential"; did you mean "user-credentials"? The kinds are: user-credentials, custom',
      ],
    ],
    [
      'a kind that is not text',
      { kind: 5 },
      ['kind: must be the name of a kind; the kinds are: user-credentials, custom'],
    ],
    [
      'a kind the platform does not take, without a problem of the connection',
      { kind: 'custom', connection: { url: 'nowhere' } },
      ['kind: InfluxDB 1.x does not take custom; use kind: user-credentials'],
    ],
    [
      'no connection',
      { connection: undefined },
      ['connection: is missing; add connection: where the API is and who asks: url, username, password'],
    ],
    [
      'no options where one is needed',
      { options: undefined },
      ['options.database: is missing; add database: the database that is read'],
    ],
    [
      'a choice with a typo',
      { mapping: { dst: 'latter' } },
      ['mapping.dst: "latter" is none of the choices; did you mean "later"? The choices are: earlier, later, refuse'],
    ],
    [
      'true where a word belongs',
      { mapping: { booleans: true } },
      ['mapping.booleans: true is none of the choices; the choices are: refuse, number'],
    ],
    [
      'an attempt to skip the check of certificates',
      { tls: { insecure: true } },
      [
        'tls.insecure: unknown key; certificates are always checked; name the authority of the plant in ca (the keys here are: ca, serverName)',
      ],
    ],
    [
      'a pace of zero',
      { pace: { requestsPerSecond: 0, concurrency: 1.5 } },
      [
        'pace.requestsPerSecond: 0 is too small; use more than 0',
        'pace.concurrency: 1.5 is not whole; use a whole number',
      ],
    ],
    [
      'a zone with a typo',
      { mapping: { timezone: 'Europe/Berln' } },
      ['mapping.timezone: "Europe/Berln" is not a time zone; did you mean "Europe/Berlin"?'],
    ],
    [
      'an offset instead of a zone',
      { mapping: { timezone: '+01:00' } },
      [
        'mapping.timezone: "+01:00" is not a time zone; use a name of the IANA database, like Europe/Paris or Etc/GMT-1',
      ],
    ],
    [
      'quiet hours in an unknown zone, on an unknown day',
      { pace: { quietHours: [{ from: '9:00', to: '10:00', zone: 'Nowhere', days: ['monday'] }] } },
      [
        'pace.quietHours[0].from: "9:00" is not a time of day; write it like 06:00, 22:30 (time of day at which silence begins)',
        'pace.quietHours[0].zone: "Nowhere" is not a time zone; use a name of the IANA database, like Europe/Paris or Etc/GMT-1',
        'pace.quietHours[0].days[0]: "monday" is none of the choices; did you mean "mon"? The choices are: mon, tue, wed, thu, fri, sat, sun',
      ],
    ],
    [
      'quiet hours that never end',
      { pace: { quietHours: [{ from: '09:00', to: '09:00', zone: 'UTC' }] } },
      [
        'pace.quietHours: leave no time in which the platform may be asked; shorten one of them, or pause the source instead',
      ],
    ],
    [
      'sensors that are neither all nor a list',
      { sensors: 'al' },
      ['sensors: may not be "al"; give all or a list or a mapping'],
    ],
    ['no sensors', { sensors: [] }, ['sensors: is empty; give at least one entry']],
    [
      'a wrong list of sensors, without a word about "all"',
      { sensors: ['pump', { ids: 'pump' }, { id: 'p', values: { t: { scale: 0 } } }] },
      [
        'sensors[0]: must be a mapping, not "pump"; its keys are: id, as, group, values',
        'sensors[1].id: is missing; add id: the identifier the platform gives the sensor',
        'sensors[1].ids: unknown key; did you mean "id"? The keys here are: id, as, group, values',
        'sensors[2].values.t.scale: 0 would make every reading the same; use another factor',
      ],
    ],
    [
      'an option of several types, explained by the type the operator meant',
      { options: { database: 'd', read: [{ id: 1 }] } },
      ['options.read[0].id: must be text, not 1; put it in quotes'],
    ],
    [
      'sensors and values of one name',
      { sensors: [{ id: 'a', values: { 'x.y': {}, 'x-y': {} } }, { id: 'a' }, { id: 'b', as: 'a' }] },
      [
        'sensors[0].values.x-y: becomes the valueName "x_y", as "x.y" does; give one of them another "as"',
        'sensors[1].id: "a" is listed twice; take it out here or at sensors[0]',
        'sensors[2].as: "a" is also the sensorId of sensors[0]; give one of them another "as", or name the values of each',
      ],
    ],
    [
      'two sensors that give one series',
      {
        sensors: [
          { id: 'a', as: 'p', values: { x: { as: 'flow' }, 'h d': {} } },
          { id: 'b', as: 'p', values: { y: { as: 'flow' }, z: { as: 'h_d' } } },
          { id: 'c', as: 'p', values: { y: { as: 'head' } } },
        ],
      },
      [
        'sensors[1].values.y: becomes the valueName "flow" of the same sensorId as sensors[0].values.x; give one of them another "as"',
        'sensors[1].values.z: becomes the valueName "h_d" of the same sensorId as sensors[0].values["h d"]; give one of them another "as"',
      ],
    ],
    [
      'a table that nobody read',
      { sensors: { table: 'tags.csv' } },
      ['sensors.table: was not read; give the file of the source, beside which the table lies'],
    ],
  ];
  it.each(cases)('%s', (_, change, lines) => {
    expect(told(change)).toStrictEqual(lines);
  });

  it.each([[null], [[]], ['name: x'], [5]])('an input that is not a source: %j', (input) => {
    const parsed = parseSource(input, examplePlatforms, { kinds: exampleKinds });
    expect(parsed.ok || parsed.problems.map(formatProblem)).toStrictEqual([
      'this is not a source; write it as a mapping that begins with "name: …"',
    ]);
  });

  it('one problem for each path', () => {
    expect(told({ project: '\u0007'.repeat(200) })).toHaveLength(1);
  });

  it('no sensors at all', () => {
    expect(told({ sensors: null })).toStrictEqual(['sensors: is empty; give all or a list or a mapping']);
  });

  const explained = (schema: z.ZodType, input: unknown): readonly string[] =>
    problemsOf(schema.safeParse(input).error?.issues ?? [], schema, input).map(formatProblem);

  it('the key of a block, one level too high or too deep', () => {
    const schema = z.strictObject({ outer: z.strictObject({ inner: z.strictObject({ deep: z.int() }).optional() }) });
    expect(explained(schema, { outer: {}, inner: {} })).toStrictEqual(['inner: unknown key; it belongs under outer']);
    expect(explained(schema, { outer: { deep: 1 } })).toStrictEqual([
      'outer.deep: unknown key; the keys here are: inner',
    ]);
    expect(explained(z.strictObject({}), { deep: 1 })).toStrictEqual(['deep: unknown key; take it out']);
  });

  it('a choice that decides the other keys of its block', () => {
    const modes = ['push', 'pull'].map((mode) => z.strictObject({ mode: z.literal(mode) }));
    const schema = z.strictObject({ read: z.discriminatedUnion('mode', modes as never) });
    const [line] = explained(schema, { read: { mode: 'pul' } });
    expect(line).toMatch(/^read\.mode: is none of the choices; /);
  });

  it('several problems at once, one line for each path', () => {
    const lines = told({ project: '', platform: 'x', schedule: { every: '1' }, pace: 5 });
    expect(lines.map((line) => line.split(':')[0])).toStrictEqual(['platform', 'project', 'schedule.every', 'pace']);
  });
});
