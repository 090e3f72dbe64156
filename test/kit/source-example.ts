import { z } from 'zod';
import { DAY, MINUTE, SECOND, parseInstant } from '../../src/core/instant.ts';
import type { Instant } from '../../src/core/instant.ts';
import { baseUrl, secret, text } from '../../src/core/source/fields.ts';
import { formatProblem } from '../../src/core/source/problems.ts';
import { parseSource } from '../../src/core/source/source.ts';

/** A source, two platforms and two kinds for the tests beside this file; the core knows no real ones. */

const facts = {
  maxWindow: DAY,
  minWindow: SECOND,
  pace: { requestsPerSecond: 5, burst: 10, concurrency: 2 },
  lateness: 10 * SECOND,
  overlap: MINUTE,
};

export const examplePlatforms = [
  {
    name: 'influxdb',
    title: 'InfluxDB 1.x',
    kinds: { 'user-credentials': {} },
    facts,
    options: z.strictObject({
      database: z.string().min(1).describe('The database that is read'),
      epoch: z.enum(['ms', 'us']).default('us'),
      token: secret('A token').optional(),
      read: z.union([z.literal('all'), z.array(z.strictObject({ id: z.string() }))]).optional(),
    }),
  },
  {
    name: 'thingsboard',
    title: 'ThingsBoard',
    kinds: { custom: {} },
    facts,
    options: z.strictObject({}),
  },
] as const;

export const exampleKinds = {
  'user-credentials': z
    .strictObject({
      url: baseUrl('Base address of the API'),
      username: text('User of the API'),
      password: secret('Password of that user'),
    })
    .describe('Where the API is and who asks: url, username, password'),
  custom: z.object({ url: baseUrl('Base address of the API') }).catchall(secret('What this platform asks for')),
};

export const good = {
  name: 'hall-3',
  project: 'pump-hall',
  kind: 'user-credentials',
  platform: 'influxdb',
  connection: { url: 'https://influx.example:8086', username: 'bridge', password: '${env:HALL_3}' },
  options: { database: 'plant' },
  schedule: { every: '10s' },
};

export const now: Instant = parseInstant('2026-11-21T08:00:00Z') ?? NaN;

/** The problems that an operator is told where the good source is changed like this; undefined takes a key out. */
export function told(change: Readonly<Record<string, unknown>>): readonly string[] {
  const parsed = parseSource(JSON.parse(JSON.stringify({ ...good, ...change })), examplePlatforms, {
    kinds: exampleKinds,
    now,
  });
  return parsed.ok ? [] : parsed.problems.map(formatProblem);
}
