import type { Platform } from '../src/platform/contract.ts';
import type { Listed } from '../src/platform/registry.ts';

/** The registry: one line for each platform, which is loaded when a source names it. */
export const platforms: readonly Listed<Platform>[] = [
  { name: 'aveva-data-hub', load: async () => (await import('./platforms/aveva-data-hub/index.ts')).avevaDataHub },
  { name: 'canary', load: async () => (await import('./platforms/canary/index.ts')).canary },
  { name: 'cognite', load: async () => (await import('./platforms/cognite/index.ts')).cognite },
  { name: 'everactive', load: async () => (await import('./platforms/everactive/index.ts')).everactive },
  { name: 'http-json', load: async () => (await import('./platforms/http-json/index.ts')).httpJson },
  { name: 'influxdb', load: async () => (await import('./platforms/influxdb/index.ts')).influxdb },
  { name: 'insights-hub', load: async () => (await import('./platforms/insights-hub/index.ts')).insightsHub },
  { name: 'pi-web-api', load: async () => (await import('./platforms/pi-web-api/index.ts')).piWebApi },
  { name: 'skf-observer', load: async () => (await import('./platforms/skf-observer/index.ts')).skfObserver },
  { name: 'thingsboard', load: async () => (await import('./platforms/thingsboard/index.ts')).thingsboard },
];

/** Every platform, loaded. */
export const allPlatforms = (): Promise<readonly Platform[]> => Promise.all(platforms.map(({ load }) => load()));
