import { randomUUID } from 'node:crypto';
import { beforeEach } from 'vitest';
import { BridgeError } from '../../src/core/errors.ts';
import { DAY, HOUR, SECOND, parseInstant } from '../../src/core/instant.ts';
import type { SourceConfig } from '../../src/core/source/source.ts';
import type { Database } from '../../src/database/database.ts';
import type { Sensor } from '../../src/platform/contract.ts';
import type { Bridge } from '../../src/pull/bridge.ts';
import { look } from '../../src/pull/sensors/discovery.ts';
import { poll } from '../../src/pull/poll.ts';
import { useDatabases } from '../kit/databases.ts';
import { bridgeOf, openSourceOf } from '../kit/open-source.ts';
import { storeSource } from '../kit/stored-source.ts';
import type { StoredSource } from '../kit/stored-source.ts';
import { dueLooks, workOf } from '../kit/work.ts';

// Looks for sensors on a real database. The platform is a function that yields sensors, and may fail between two of them.

/** The database of a test, its source, its clock and the sensors that were read. */
export const ground = {} as { database: Database; stored: StoredSource; now: number; asked: string[] };

/** Each test of a file that calls this gets a ground of its own. */
export function useLooks(): void {
  const databases = useDatabases();
  beforeEach(async () => {
    const database = await databases.create();
    const stored = await storeSource(database, 'source', { every: HOUR });
    await dueLooks(database);
    Object.assign(ground, { database, stored, now: (parseInstant('2026-03-01T00:00:00Z') ?? 0) + DAY, asked: [] });
  });
}

type Shown = () => AsyncIterable<Sensor> | Iterable<Sensor>;

/** A process with a source whose platform shows these sensors, one stream for each. */
export function processWith(
  shown: Shown,
  given: { sensors?: SourceConfig['sensors']; workerId?: string; revision?: number } = {},
): Bridge {
  const { sensors = 'all', workerId = randomUUID(), revision = 1 } = given;
  const policy = { start: ground.now - HOUR, settle: 0, align: SECOND, overlap: 0, maxWindow: DAY };
  const source = openSourceOf(ground.stored, {
    policy,
    revision,
    read: (window, { sensors: [sensor = ''] = [] }) => {
      ground.asked.push(sensor);
      return [{ sensor, variable: 'flow', at: [window.from], values: [1] }];
    },
  });
  const platform = {
    ...source.platform,
    facts: { ...source.platform.facts, sensorsPerRead: 1, namesVariables: true },
    sensors: shown,
  };
  const opened = { ...source, platform, config: { ...source.config, sensors } } as typeof source;
  return bridgeOf(ground.database, { source: opened, now: () => ground.now, workerId });
}

export async function lookOnce(...given: Parameters<typeof processWith>): Promise<void> {
  await dueLooks(ground.database);
  await look(processWith(...given), ground.stored.sourceId, new AbortController().signal);
}

export const pollOnce = (): Promise<void> =>
  poll(
    processWith(() => []),
    ground.stored.sourceId,
    new AbortController().signal,
  );

export const device = (name: string, variables = ['flow']): Sensor => ({ id: name, group: name, variables });
export const devices = (...names: string[]): Sensor[] => names.map((name) => device(name));

export const streams = async (): Promise<string[]> =>
  (await ground.database.rows<{ key: string }>('select key from stream where retired_at is null order by key')).map(
    ({ key }) => key,
  );

export const absent = async (): Promise<string[]> =>
  (
    await ground.database.rows<{ key: string }>('select key from stream where absent_since is not null order by key')
  ).map(({ key }) => key);

interface State {
  readonly state: string;
  readonly failures: number;
  readonly held: boolean;
  readonly fault: string | null;
  readonly lookFailures: number;
  readonly lookFault: string | null;
  readonly remedy: string | null;
  readonly complete: boolean;
  /** From the clock of the test to the next look. */
  readonly nextIn: number | null;
  readonly claimed: boolean;
}

export async function state(): Promise<State> {
  const row = await ground.database.row<State & Record<string, unknown>>(
    `select state, failures, held_until is not null as held, last_fault ->> 'code' as fault, coalesce(${workOf('look', 'failures')}, 0) as "lookFailures",
       look_fault ->> 'message' as "lookFault", look_fault ->> 'remedy' as remedy, discovered_at is not null as complete,
       instant_of(${workOf('look', 'due_at')}) - $1 as "nextIn", ${workOf('look', 'claimed_by')} is not null as claimed from source`,
    [ground.now],
  );
  if (!row) throw new Error('there is no source');
  return row;
}

export const WELL = {
  state: 'active',
  failures: 0,
  held: false,
  fault: null,
  lookFailures: 0,
  lookFault: null,
  claimed: false,
};

/** Yields these sensors, then throws. */
export const breaksAfter = (sensors: readonly Sensor[], error: Error): Shown =>
  async function* () {
    yield* sensors;
    throw error;
  };

export const serverError = (): BridgeError =>
  new BridgeError({ code: 'unavailable', why: 'status', status: 500 }, '500');
