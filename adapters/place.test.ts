import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { schemaAt, schemaKeys } from '../src/core/source/shape.ts';
import type { Platform } from '../src/platform/contract.ts';
import { allPlatforms } from './index.ts';
import { kinds } from './kinds.ts';

// Which data a field leads to is known to a person who read the vendor's documentation, so this table is written by hand, and every
// field of a source stands in it. A field that leads to other data and does not count as the place is a silent hole: a source that
// is pointed there keeps the coverage of the old place, and asks for nothing.

interface Row {
  /** The fields that say where the data is. A field that is a block stands for all below it. */
  readonly where: readonly string[];
  /** The other ones: who asks, how, for which of the sensors there, and how an answer is understood. */
  readonly otherwise: readonly string[];
}

const table: Readonly<Record<string, Row>> = {
  'aveva-data-hub': {
    where: ['connection.url', 'options.namespace', 'options.tenant'],
    // A search chooses streams; each has a coverage of its own.
    otherwise: [
      'connection.authUrl',
      'connection.clientId',
      'connection.clientSecret',
      'options.pageLimit',
      'options.query',
    ],
  },
  canary: {
    where: ['connection.url'],
    // A tag is asked for by its whole path, so `options.path` only chooses among the tags.
    otherwise: ['connection.password', 'connection.username', 'options.pageSize', 'options.path'],
  },
  cognite: {
    where: ['connection.url', 'options.project'],
    // Whoever gives the token: the project is in the address of every request.
    otherwise: [
      'connection.authUrl',
      'connection.clientId',
      'connection.clientSecret',
      'options.audience',
      'options.externalIdPrefix',
      'options.pointsPerRequest',
      'options.resource',
      'options.scope',
      'options.strings',
    ],
  },
  everactive: {
    where: ['connection.url'],
    // Another account may show other sensors, and a sensor is a MAC address.
    otherwise: ['connection.clientId', 'connection.clientSecret', 'options.scope'],
  },
  'http-json': {
    where: [
      'connection.url',
      'options.answer.empty',
      'options.answer.emptyStatuses',
      'options.authorisation.audience',
      'options.authorisation.body',
      'options.authorisation.endpoint',
      'options.authorisation.path',
      'options.authorisation.scope',
      'options.exactness.bounds',
      'options.exactness.cap',
      'options.exactness.count',
      'options.exactness.proof',
      'options.exactness.resolution',
      'options.exactness.trailer',
      'options.paging.by',
      'options.paging.ends',
      'options.paging.first',
      'options.paging.next',
      'options.readings',
      'options.sensors.request',
      'options.times',
    ],
    // Each sensor of a list has a coverage of its own. With other expressions `answer.points` and `sensors.each` all streams end,
    // because `renamed` cannot tell what they find.
    otherwise: [
      'options.answer.body',
      'options.answer.delimiter',
      'options.answer.error',
      'options.answer.failed',
      'options.answer.points',
      'options.authorisation.answer',
      'options.authorisation.by',
      'options.authorisation.client',
      'options.authorisation.header',
      'options.authorisation.prefix',
      'options.authorisation.refusals',
      'options.authorisation.seconds',
      'options.exactness.failsAs',
      'options.exactness.longestWindow',
      'options.exactness.order',
      'options.exactness.quality',
      'options.exactness.sameInstant',
      'options.exactness.tooMuch',
      'options.paging.size',
      'options.sensors.each',
      'options.sensors.list',
      'options.sensors.none',
      'options.sensors.perRequest',
      'options.sensors.separator',
      'options.unproven',
    ],
  },
  influxdb: {
    where: ['connection.url', 'options.database', 'options.retentionPolicy'],
    // A measurement has streams of its own. Tags decide on the name of a sensor, which is a matter of `renamed`.
    otherwise: [
      'connection.password',
      'connection.username',
      'options.chunkSize',
      'options.ignoreTags',
      'options.measurements',
      'options.sensorTag',
      'options.skipStringFields',
    ],
  },
  'insights-hub': {
    where: ['connection.authUrl', 'connection.url'],
    otherwise: [
      'connection.clientId',
      'connection.clientSecret',
      'options.aspects',
      'options.qualities',
      'options.recordsPerRequest',
    ],
  },
  'pi-web-api': {
    where: ['connection.url', 'options.dataServer'],
    otherwise: [
      'connection.authUrl',
      'connection.clientId',
      'connection.clientSecret',
      'connection.password',
      'connection.username',
      'options.nameFilter',
      'options.pageLimit',
      'options.pointTypes',
      'options.scope',
    ],
  },
  'skf-observer': {
    where: ['connection.url'],
    otherwise: ['connection.clientId', 'connection.clientSecret', 'options.answerLimit'],
  },
  thingsboard: {
    where: ['connection.url'],
    // Another user may be of another tenant and see other devices. Each device has streams of its own, by its UUID, and each key has.
    otherwise: [
      'connection.password',
      'connection.username',
      'options.deviceType',
      'options.devices',
      'options.history',
      'options.keys',
      'options.pageLimit',
      'options.sensorId',
    ],
  },
};

/** The paths of all fields of a schema that have none below them. */
function leavesOf(schema: z.ZodType | undefined, path: readonly string[]): readonly string[] {
  const keys = schemaKeys(schema);
  if (schema === undefined || keys.length === 0) return [path.join('.')];
  return keys.flatMap((key) => leavesOf(schemaAt(schema, [key]), [...path, key]));
}

function fieldsOf({ options, kinds: taken }: Platform): ReadonlySet<string> {
  const connections = Object.keys(taken).map((kind) => kinds[kind as keyof typeof kinds]);
  return new Set([
    ...connections.flatMap((connection) => leavesOf(connection, ['connection'])),
    ...(schemaKeys(options).length > 0 ? leavesOf(options, ['options']) : []),
  ]);
}

const isIn = (field: string, entry: string): boolean => field === entry || field.startsWith(`${entry}.`);

const platforms = await allPlatforms();

describe('the table of places', () => {
  it('has a row for every platform: for a new one, judge each of its fields and add a row to this file', () => {
    expect(platforms.map(({ name }) => name)).toEqual(Object.keys(table).toSorted());
  });

  it.each(platforms.map((platform) => [platform.name, platform] as const))(
    'holds what %s declares, and has each of its fields once',
    (name, platform) => {
      const { where, otherwise } = table[name] ?? { where: [], otherwise: [] };
      expect([...platform.place].toSorted()).toEqual(where);
      const [fields, entries] = [[...fieldsOf(platform)], [...where, ...otherwise]];
      const judged = fields.map((field) => [field, entries.filter((entry) => isIn(field, entry)).length] as const);
      expect(judged.filter(([, times]) => times !== 1)).toEqual([]);
      expect(entries.filter((entry) => !fields.some((field) => isIn(field, entry)))).toEqual([]);
    },
  );
});
