import { expect, test } from 'vitest';
import { z } from 'zod';
import { DAY, MILLISECOND } from '../core/instant.ts';
import { answer } from '../platform/answer.ts';
import { basic } from '../platform/authorisation/basic.ts';
import { definePlatform } from '../platform/contract.ts';
import type { Http, Platform } from '../platform/contract.ts';
import { judgeAdapter } from './adapter-check.ts';

const rows = z.array(z.object({ id: z.string() }));

/** A platform whose operations all ask for one list; `listOf` reads it from the answer. */
const platformWith = (listOf: (data: unknown) => readonly { id: string }[]): Platform => {
  const ask = async (http: Http) => listOf((await http.get<unknown>('/rows')).data);
  return definePlatform({
    name: 'my-platform',
    title: 'Mine',
    docs: 'https://docs.example',
    kinds: { 'user-credentials': basic() },
    options: z.strictObject({}),
    place: ['connection.url'],
    facts: {
      bounds: { from: 'unknown', to: 'unknown' },
      resolution: MILLISECOND,
      order: 'none',
      page: { cap: Infinity, more: 'none' },
      sameInstant: 'many',
      failsAs: 'status',
      maxWindow: DAY,
      minWindow: MILLISECOND,
      sensorsPerRead: 1,
      namesVariables: false,
      pace: { requestsPerSecond: 1, burst: 1, concurrency: 1 },
      lateness: 0,
      overlap: 0,
    },
    renamed: ({ sensor, variable }) => ({ sensor: sensor.id, variable }),
    identify: async (http) => ({ product: `${(await ask(http)).length} rows` }),
    async *sensors(http) {
      yield* await ask(http);
    },
    async *read(http) {
      for (const { id } of await ask(http)) yield { sensor: id, variable: 'value', at: [0], values: [0] };
    },
  });
};

async function* fixed(): AsyncGenerator<{ id: string }> {
  yield { id: 'a' };
}

const judged = (listOf: Parameters<typeof platformWith>[0]): Promise<string> =>
  judgeAdapter(
    { platform: platformWith(listOf), options: {} },
    { group: undefined, sensors: ['a'], variables: undefined },
    new AbortController().signal,
  );

test('an adapter that holds its answers against a schema passes', async () => {
  expect(await judged((data) => answer(rows, data, 'rows'))).toMatch(
    /^\d+ bad answers to each of identify, sensors, read: each is an error$/,
  );
});

test('an operation that asks for nothing is not judged', async () => {
  const platform = { ...platformWith((data) => answer(rows, data, 'rows')), sensors: fixed };
  const selection = { group: undefined, sensors: ['a'], variables: undefined };
  expect(await judgeAdapter({ platform, options: {} }, selection, new AbortController().signal)).toMatch(/an error$/);
});

test('one that takes a strange answer for an empty one, or breaks at it, does not', async () => {
  const careless = (data: unknown) => (Array.isArray(data) ? [] : ((data as { rows?: [] } | null)?.rows ?? []));
  await expect(judged(careless)).rejects.toMatchObject({
    fault: { code: 'config-invalid', path: 'adapter' },
    message: expect.stringMatching(/read takes it for 0 samples/) as string,
  });
  await expect(judged((data) => (data as { rows: [] }).rows.slice())).rejects.toMatchObject({
    message: expect.stringMatching(/breaks: /) as string,
  });
});
