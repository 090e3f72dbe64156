import { nameKeeper } from '../../src/pull/sensors/series-names.ts';
import { commitsOf } from '../../src/pull/commit.ts';
import type { Window } from '../../src/core/window.ts';
import { SECOND } from '../../src/core/instant.ts';
import { exactFacts } from './facts.ts';
import { rulesOf } from '../../src/core/mapping.ts';
import type { Policy } from '../../src/core/plan.ts';
import type { SourceConfig } from '../../src/core/source/source.ts';
import type { Database } from '../../src/database/database.ts';
import { partitionsOf } from '../../src/database/partitions.ts';
import { readingPreparer } from '../../src/ingest/prepare.ts';
import type { FailedSensor, Samples, Selection } from '../../src/platform/contract.ts';
import type { Conversation } from '../../src/platform/connection/index.ts';
import type { Bridge } from '../../src/pull/bridge.ts';
import { claimsOf } from '../../src/pull/claim.ts';
import type { OpenSource } from '../../src/pull/open/open-source.ts';
import type { StoredSource } from './stored-source.ts';

const mapping: SourceConfig['mapping'] = { booleans: 'refuse', bad: 'refuse', labels: [], dst: 'earlier' };

/** A source of a process whose platform is a function, without any HTTP. */
export function openSourceOf(
  { sourceId, projectId, edition }: StoredSource,
  given: {
    readonly read: (
      window: Window,
      selection: Selection,
      /** Counts a request as the connection would, and asks whether it may leave. */
      send: () => Promise<void>,
    ) => AsyncIterable<Samples | FailedSensor> | Iterable<Samples | FailedSensor>;
    readonly policy: Policy;
    readonly name?: string;
    readonly revision?: number;
    readonly concurrency?: number;
    readonly catchUp?: 'newest' | 'oldest';
    /** None beyond the overlap unless told. */
    readonly lookBackAtMost?: number;
    readonly minWindow?: number;
  },
): OpenSource {
  const { policy, concurrency = 1, catchUp = 'newest', lookBackAtMost = 0, minWindow = SECOND } = given;
  return {
    id: sourceId,
    name: given.name ?? 'source',
    organisation: 'default',
    revision: given.revision ?? 1,
    edition,
    projectId,
    platform: {
      facts: { ...exactFacts, minWindow },
      read: ({ send }: { send: () => Promise<void> }, _options: unknown, selection: Selection, window: Window) =>
        given.read(window, selection, send),
    },
    config: { pace: { concurrency }, schedule: { catchUp, lookBackAtMost } },
    policy,
    rules: rulesOf({ sensors: 'all', mapping }),
    connection: {
      http: ({ allow, meter }: Conversation) => ({
        defaults: {},
        async send() {
          await allow?.(false);
          meter.requests += 1;
        },
      }),
      clock: { take: () => [] },
    },
  } as unknown as OpenSource;
}

const stores = new WeakMap<Database, ReturnType<typeof newStore>>();

const newStore = (database: Database) => ({
  partitions: partitionsOf(database),
  prepareReadings: readingPreparer(database),
  commits: commitsOf(database),
  keepNames: nameKeeper(database),
});

/** What a process has once for its database: the partitions, numbers and names that it knows, and the statements that its windows share. */
export function storeOf(database: Database): ReturnType<typeof newStore> {
  const store = stores.get(database) ?? newStore(database);
  stores.set(database, store);
  return store;
}

/** The part of a bridge that the poll path needs, for one source that is open already. */
export function bridgeOf(
  database: Database,
  given: { readonly source: OpenSource; readonly now: () => number; readonly workerId: string },
): Bridge {
  const { source, now, workerId } = given;
  return {
    database,
    clock: { now, setBacks: () => ({ count: 0, recent: undefined }) },
    ...storeOf(database),
    settings: { windowReadings: 1_000 },
    sources: { use: (_row: unknown, work: (open: OpenSource) => Promise<unknown>) => work(source) },
    claims: claimsOf({ database, workerId, sources: { editionOf: () => undefined } }),
    workerId,
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
  } as unknown as Bridge;
}
