import { expect, it } from 'vitest';
import { SECOND } from '../core/instant.ts';
import { rulesOf } from '../core/mapping.ts';
import type { SourceConfig } from '../core/source/source.ts';
import type { Window } from '../core/window.ts';
import type { Platform } from '../platform/contract.ts';
import { exactFacts } from '../../test/kit/facts.ts';
import { readWindow } from './fetch-window.ts';
import { openSource } from './open/open-source.ts';

const mapping: SourceConfig['mapping'] = { booleans: 'refuse', bad: 'refuse', labels: [], dst: 'earlier' };
const config = {
  kind: 'custom',
  connection: { url: 'http://127.0.0.1:1' },
  options: {},
  tls: {},
  pace: {},
  schedule: {},
  sensors: 'all',
  mapping,
} as unknown as SourceConfig;

/** Points every second, asked for in whole seconds, with bounds that are the opposite of ours: (from, to]. */
function opposite(asked: Window[], strays: readonly number[]): Platform {
  return {
    kinds: { custom: { sign: () => ({}) } },
    facts: { ...exactFacts, bounds: { from: 'exclusive', to: 'inclusive' }, resolution: SECOND },
    async *read(_http: unknown, _options: unknown, _selection: unknown, window: Window) {
      asked.push(window);
      const points = Array.from({ length: 100 }, (_, second) => second * SECOND);
      const at = [...points.filter((instant) => instant > window.from && instant <= window.to), ...strays];
      yield { sensor: 's', variable: 'v', at, values: at.map(() => 1) };
    },
  } as unknown as Platform;
}

it.each([
  [[], 0],
  [[90 * SECOND], 1],
])(
  'windows that tile hold each point once, and only what was not asked for counts as outside: %j',
  async (strays, outside) => {
    const asked: Window[] = [];
    const source = await openSource(
      { id: 1, revision: 1, edition: '', projectId: 1, start: 0 },
      {
        config,
        platform: opposite(asked, strays),
        shared: () => undefined as never,
        now: () => 0,
        allowHosts: undefined,
      },
    );
    const edges = [10 * SECOND, 20 * SECOND, 20.5 * SECOND, 30 * SECOND];
    const found: number[] = [];
    for (const [index, from] of edges.slice(0, -1).entries()) {
      const { batch } = await readWindow(
        {
          ...source,
          rules: rulesOf({ sensors: 'all', mapping }),
          connection: { ...source.connection, http: () => undefined as never },
        },
        {
          stream: { selection: { group: undefined, sensors: ['s'], variables: undefined } } as never,
          lane: 'live',
          window: { from, to: edges[index + 1] as number },
          place: undefined as never,
          maxReadings: Infinity,
          now: () => 0,
        },
        new AbortController().signal,
      );
      expect(batch.outside).toBe(outside);
      found.push(...batch.columns.flatMap(({ segments }) => segments.flatMap(({ at }) => at)));
    }
    expect(found).toEqual(Array.from({ length: 20 }, (_, second) => (10 + second) * SECOND));
    expect(asked[0]).toEqual({ from: 9 * SECOND, to: 20 * SECOND });
    await source.connection.close();
  },
);
