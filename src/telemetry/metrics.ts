import { Registry, collectDefaultMetrics } from 'prom-client';
import type { ApiMeters } from '../api/meters.ts';
import type { PullMeters } from '../pull/meters.ts';
import type { BridgeMeasures } from '../source/measures.ts';
import { apiMetersOf } from './api-meters.ts';
import { deliveryMetersOf, pullMetersOf } from './pull-meters.ts';
import { stateText } from './state-gauges.ts';
import type { PoolState } from './state-gauges.ts';

/**
 * The counters of this process and the registry that holds them. Rooms that count know no registry: each declares the functions
 * that it calls, and gets `api` or `pull` as them.
 */
export interface Metrics {
  readonly api: ApiMeters;
  readonly pull: PullMeters;
  /** The content type of `text`. */
  readonly contentType: string;
  /**
   * All metrics in the text format of Prometheus. `state`: the measures of the whole bridge; undefined where the database did not
   * tell them, so that no old value is taken for a present one.
   */
  text(state: BridgeMeasures | undefined, pool: PoolState): Promise<string>;
}

/** Counts of a process, all at zero. Made once in a process, because the defaults of prom-client watch its event loop. */
export function metricsOf(version: string): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return {
    api: apiMetersOf(registry),
    pull: { ...pullMetersOf(registry), ...deliveryMetersOf(registry) },
    contentType: registry.contentType,
    text: async (state, pool) => `${await registry.metrics()}\n${await stateText(state, pool, version)}`,
  };
}
