import { beforeAll, expect, test } from 'vitest';
import { openSealing } from '../kit/sealing.ts';
import type { Sealing } from '../../src/access/sealing.ts';
import type { Database } from '../../src/database/database.ts';
import type { KindName } from '../../src/platform/contract.ts';
import { subjectsAsRegistered } from '../conformance/kit/subject.ts';
import { openModelDatabase } from './model/ground.ts';
import { useDatabases } from '../kit/databases.ts';
import { runRow, SHORT, spanOf } from '../platforms/row.ts';
import { isBad } from '../platforms/table.ts';

// The short form of `npm run test:platforms`: a day around a change of the clocks, and a few faults.

const databases = useDatabases();
const subjects = subjectsAsRegistered();
let database: Database;
let sealing: Sealing;

beforeAll(async () => {
  database = await openModelDatabase(await databases.createEmpty(), spanOf(SHORT));
  sealing = await openSealing('', 'A'.repeat(43));
  return () => database.close();
});

const rows = subjects.flatMap((subject) =>
  Object.keys(subject.platform.kinds).map((kind) => [subject.platform.name, kind as KindName, subject] as const),
);

test.each(rows)(
  '%s by %s: a day around a change of the clocks and a few faults lose and double nothing',
  async (_, kind, subject) => {
    const row = await runRow({ database, sealing }, subject, { kind, scale: SHORT, tell: () => undefined });
    expect(row.points).toBeGreaterThan(100);
    expect(isBad(row), JSON.stringify(row, undefined, 2)).toBe(false);
  },
);
