import { nameKeeper } from './pull/sensors/series-names.ts';
import { randomUUID } from 'node:crypto';
import { assertArchiveKnown } from './archive/manifest.ts';
import { assertArchivePlace, unlessAway } from './archive/place.ts';
import { openContext } from './context.ts';
import type { Context, ContextOptions } from './context.ts';
import { registry, registryFor } from './context-registry.ts';
import { partitionsOf } from './database/partitions.ts';
import { loadedOf } from './platform/registry.ts';
import type { Registry } from './platform/registry.ts';
import { readingPreparer } from './ingest/prepare.ts';
import type { Bridge } from './pull/bridge.ts';
import { claimsOf } from './pull/claim.ts';
import { commitsOf } from './pull/commit.ts';
import { sourceOpener } from './pull/open/open-source.ts';
import { sourceCacheOf } from './pull/open/source-cache.ts';
import type { Metrics } from './telemetry/metrics.ts';

/** The bridge with an open database, as the processes use it that poll or take readings. */
export type OpenBridge = Context &
  Bridge & {
    readonly registry: Registry;
    /** The counters of this process; undefined where it is not monitored. */
    readonly metrics: Metrics | undefined;
  };

interface BridgeOptions extends ContextOptions {
  /** The version under which the process counts its work for monitoring. Commands, which end soon, count nothing. */
  readonly monitoredAs?: string;
}

/** Opens the database and all parts of the bridge that use it. */
export async function openBridge(options: BridgeOptions): Promise<OpenBridge> {
  // A process that runs for weeks keeps the code that it began with, also where the package is replaced meanwhile.
  const platforms = await loadedOf(registry.platforms);
  const context = await openContext(options);
  const { settings, log, database, sealing, clock } = context;
  try {
    await sealing.verify();
    await assertArchiveKnown(database);
    await unlessAway(assertArchivePlace(database));
  } catch (error) {
    await context.close();
    throw error;
  }
  const workerId = randomUUID();
  const metrics =
    options.monitoredAs === undefined
      ? undefined
      : (await import('./telemetry/metrics.ts')).metricsOf(options.monitoredAs);
  const meters = metrics?.pull;
  const known: Registry = { ...registryFor(settings), platforms };
  const sources = sourceCacheOf(
    sourceOpener({
      database,
      sealing,
      clock,
      registry: known,
      workerId,
      ...settings.egress,
      meters,
    }),
  );
  database.memory.onForget(() => {
    // Their rules hold names and series that others may have in the older state, and their edition may be the same there.
    sources.forget();
    sealing.verify().catch((error: unknown) => log.error({ err: error }, 'stored secrets cannot be opened'));
    log.warn('the database was replaced by an older state of it; nothing remembered of it is used any more');
  });
  return {
    ...context,
    registry: known,
    workerId,
    metrics,
    meters,
    partitions: partitionsOf(database),
    prepareReadings: readingPreparer(database),
    sources,
    claims: claimsOf({ database, workerId, sources, dispatched: true }),
    commits: commitsOf(database),
    keepNames: nameKeeper(database),
  };
}

/** Opens the bridge, works with it and closes it, also after an error. */
export async function withBridge<T>(options: BridgeOptions, work: (bridge: OpenBridge) => Promise<T>): Promise<T> {
  const bridge = await openBridge(options);
  try {
    return await work(bridge);
  } finally {
    await bridge.close();
  }
}
