import { expect } from 'vitest';
import { z } from 'zod';
import { kinds } from '../../adapters/kinds.ts';
import { openSealing } from '../kit/sealing.ts';
import type { Sealing } from '../../src/access/sealing.ts';
import { DAY, MINUTE, SECOND, parseInstant } from '../../src/core/instant.ts';
import { secret } from '../../src/core/source/fields.ts';
import { formatProblem } from '../../src/core/source/problems.ts';
import { parseSource } from '../../src/core/source/source.ts';
import type { SourceConfig } from '../../src/core/source/source.ts';
import type { KnownVariable } from '../../src/platform/contract.ts';
import type { Database } from '../../src/database/database.ts';
import { applySource } from '../../src/source/registration.ts';
import type { Applied } from '../../src/source/registration.ts';
import type { TestDatabases } from '../kit/databases.ts';

export const NOW = parseInstant('2026-11-21T08:00:00.123456Z') ?? 0;

const facts = {
  maxWindow: DAY,
  minWindow: SECOND,
  pace: { requestsPerSecond: 5, burst: 10, concurrency: 2 },
  lateness: 10 * SECOND,
  overlap: MINUTE,
};
const options = z.strictObject({
  database: z.string().optional(),
  keys: z.array(secret('A key')).optional(),
});
const renamed = ({ sensor, variable }: KnownVariable) => ({ sensor: sensor.id, variable });
const place = ['connection.url', 'options.database'];
export const platforms = [
  {
    name: 'plant',
    title: 'Plant',
    kinds: { 'user-credentials': {}, 'client-credentials': {} },
    facts,
    options,
    place,
    renamed,
  },
  { name: 'other', title: 'Other', kinds: { 'user-credentials': {} }, facts, options, place, renamed },
  {
    name: 'wall-clock',
    title: 'Wall clock',
    kinds: { 'user-credentials': {} },
    facts: { ...facts, localTime: true },
    options,
    place,
    renamed,
  },
] as const;

/** A source as an operator writes it. Every secret begins with `s3cret`, also in the tests, so that a search finds all. */
export const good = {
  name: 'hall-3',
  project: 'presses',
  kind: 'user-credentials',
  platform: 'plant',
  connection: { url: 'https://plant.example', username: 'bridge', password: 's3cret-first' },
  options: { database: 'plant', keys: ['s3cret-key', '${env:KEY}'] },
  schedule: { every: '10s', start: '7d' },
};

function sourceOf(change: Readonly<Record<string, unknown>>): SourceConfig {
  const parsed = parseSource({ ...good, ...change }, platforms, { kinds });
  return parsed.ok ? parsed.source : expect.fail(parsed.problems.map(formatProblem).join('\n'));
}

/** Sorts the differences by path, because jsonb does not keep the order of keys. */
export const byPath = ({ differences, ...applied }: Applied): Applied => ({
  ...applied,
  differences: differences.toSorted((one, other) => (one.path < other.path ? -1 : 1)),
});

/** A database with the projects `presses` and `pumps`, to which variants of the good source are applied. */
export interface Ground {
  readonly database: Database;
  readonly sealing: Sealing;
  apply(
    change?: Readonly<Record<string, unknown>>,
    given?: {
      readonly dryRun?: boolean;
      readonly sameData?: boolean;
      readonly rename?: boolean;
      readonly now?: number;
      readonly sealing?: Sealing;
      readonly database?: Database;
    },
  ): Promise<Applied>;
  /** Every row of every table as text. */
  everything(): Promise<string>;
  /** Adds streams to the source, with coverage and failures. */
  storeStreams(...keys: string[]): Promise<void>;
}

export async function makeGround(databases: TestDatabases): Promise<Ground> {
  const database = await databases.create();
  const sealing = await openSealing('/nowhere', 'A'.repeat(43));
  await database.run(
    `insert into ml_project (organisation_id, code, name) values ('default', 'presses', 'P'), ('default', 'pumps', 'Q')`,
  );
  return {
    database,
    sealing,
    apply: (change = {}, given = {}) =>
      applySource(
        {
          database: given.database ?? database,
          sealing: given.sealing ?? sealing,
          registry: { platforms, kinds },
        },
        sourceOf(change),
        {
          now: given.now ?? NOW,
          actor: 'tester',
          dryRun: given.dryRun ?? false,
          sameData: given.sameData ?? false,
          rename: given.rename ?? false,
        },
      ),
    async everything() {
      const tables = await database.rows<{ name: string }>(
        `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') order by 1`,
      );
      const texts: string[] = [];
      for (const { name } of tables) {
        const rows = await database.rows<{ row: string }>(`select t::text as row from "${name}" t order by 1`);
        texts.push(`${name}\n${rows.map(({ row }) => row).join('\n')}`);
      }
      return texts.join('\n');
    },
    async storeStreams(...keys) {
      await database.run(
        `insert into stream (source_id, key, selection, sensors, covered, learned, failures, retry_at)
         select source.id, key, '{}', '[]', '{[2026-01-01,2026-02-01)}', '{"length": 5}', 2, now()
         from source, unnest($1::text[]) as key`,
        [keys],
      );
    },
  };
}
