import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Refusal } from '../../src/core/batch.ts';
import { HOUR, MINUTE } from '../../src/core/instant.ts';
import type { RefusalSum } from '../../src/core/kept-refusals.ts';
import type { RefusalReason } from '../../src/core/reading.ts';
import type { Window } from '../../src/core/window.ts';
import type { Database } from '../../src/database/database.ts';
import { partitionsOf } from '../../src/database/partitions.ts';
import { addStreams } from '../../src/pull/sensors/change-streams.ts';
import { dropOldLogs } from '../../src/upkeep/housekeeping.ts';
import { refusalsByReason, refusalsOf } from '../../src/source/refusals.ts';
import { useDatabases } from '../kit/databases.ts';
import { batchOf, storeStream } from '../kit/stored-source.ts';
import { BORDER, SMALL, columnsFrom, makeGround, refusal } from './commit-ground.ts';
import type { Ground } from './commit-ground.ts';

const databases = useDatabases();
let ground: Ground;
let database: Database;
let streams = 0;

beforeAll(async () => {
  ground = await makeGround(databases);
  ({ database } = ground);
});

/** The log of windows of these tests is years old, and goes with the others; a process never writes to such a day again. */
async function dropLogs(mostRefusedHours?: number): Promise<void> {
  await dropOldLogs(database, 30, mostRefusedHours);
  await partitionsOf(database).ensure('window_log', BORDER, BORDER + HOUR);
}

/** A stream without refusals; those of other tests are retired, so that the source lists only its own. */
async function newStream(): Promise<number> {
  await database.run('update stream set retired_at = now() where retired_at is null');
  return await storeStream(database, ground.source, `stream ${(streams += 1)}`);
}

const inside = (window: Window, at: number): boolean => at >= window.from && at < window.to;

/** The refused points of a stream, straight from the table: `sensor variable reason instant`. */
const rowsOf = async (stream: number): Promise<string[]> => {
  const rows = await database.rows<{ line: string }>(
    `select concat_ws(' ', sensor, variable, reason, instant_of(hour) + 1800000000 + point) as line
     from refused_hour cross join unnest(points) as point where stream_id = $1`,
    [stream],
  );
  return rows.map(({ line }) => line).toSorted();
};

const lineOf = ({ sensor, variable, reason, at }: Refusal): string => [sensor, variable, reason, at].join(' ');

const listed = (more: Omit<Parameters<typeof refusalsOf>[1], 'sourceId'> = {}, limit = 1_000) =>
  refusalsOf(database, { sourceId: ground.source.sourceId, ...more }, limit);

const sumOf = ({ reason, sensor, variable, refused, first, last }: RefusalSum) => ({
  reason,
  sensor,
  variable,
  refused,
  first,
  last,
});

/** The sums by the plainest code. */
function summed(points: readonly Refusal[]): { refused: number; first: number; last: number }[] {
  const groups = Map.groupBy(points, ({ sensor, variable, reason }) => JSON.stringify([reason, sensor, variable]));
  return [...groups]
    .map(([key, all]) => {
      const instants = all.map(({ at }) => at as number);
      const [reason, sensor, variable] = JSON.parse(key) as string[];
      return {
        reason,
        sensor,
        variable,
        refused: all.length,
        first: Math.min(...instants),
        last: Math.max(...instants),
      };
    })
    .toSorted((one, other) => other.refused - one.refused || (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
}

it('the refused points of a source are summed in one walk, however many variables they are of', async () => {
  const plans: string[] = [];
  const explained = {
    ...database,
    rows: async (text: string, values: readonly unknown[] = []) => {
      const lines = await database.rows<Record<string, string>>(`explain ${text}`, values);
      plans.push(lines.map((line) => line['QUERY PLAN']).join('\n'));
      return await database.rows(text, values);
    },
  } as Database;
  await refusalsOf(explained, { sourceId: ground.source.sourceId }, 1_000);
  expect(plans).toHaveLength(2);
  // A plan for each row walks all examples once more for each variable.
  expect(plans.join('\n')).not.toMatch(/SubPlan/);
});

it('each reason has its examples, however rare it is', async () => {
  const stream = await newStream();
  await database.run(
    `insert into refused_hour (stream_id, hour, sensor, variable, reason, points, examples)
     select $1, '2026-11-01Z', 's' || n, 'v', case when n = 0 then 'null' else 'text-number' end, case when n = 0 then array[5] else array[5, 6] end, '[[5, "raw"]]'
     from generate_series(0, 1001) as n`,
    [stream],
  );
  const found = await refusalsByReason(database, ground.source.sourceId);
  expect(found.map(({ reason, refused, examples }) => [reason, refused, examples.length])).toEqual([
    ['text-number', 2_002, 3],
    ['null', 1, 1],
  ]);
  expect(found[1]?.examples).toMatchObject([{ sensor: 's0', variable: 'v', raw: 'raw' }]);
});

describe('the refused points of a stream', () => {
  const START = BORDER - 2 * HOUR;
  const minute = fc.integer({ min: 0, max: 300 });
  const point = fc.record({
    at: fc.tuple(minute, fc.nat(59_999_999)).map(([minutes, more]) => START + minutes * MINUTE + more),
    sensor: fc.constantFrom('a', 'b'),
    variable: fc.constantFrom('x', 'y'),
    reason: fc.constantFrom<RefusalReason>('boolean', 'null'),
    raw: fc.constantFrom('true', 'null'),
  });
  const window = fc
    .tuple(minute, fc.integer({ min: 1, max: 150 }))
    .map(([from, length]) => ({ from: START + from * MINUTE, to: START + (from + length) * MINUTE }));
  // Each step asks for one window; before it, the platform refuses some points more, and some no longer.
  const step = fc.record({
    window,
    appear: fc.array(point, { maxLength: 12 }),
    vanish: fc.option(window, { nil: undefined, freq: 3 }),
    repeat: fc.boolean(),
  });

  it('are those of the last answer for their time, however windows cut the hours and whatever is asked again', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 12 }), window, async (steps, range) => {
        const stream = await newStream();
        let truth: Refusal[] = [];
        let known: Refusal[] = [];
        for (const { window: asked, appear, vanish, repeat } of steps) {
          truth = [...truth.filter(({ at }) => !vanish || !inside(vanish, at as number)), ...appear];
          const answer = truth.filter(({ at }) => inside(asked, at as number));
          for (let times = repeat ? 2 : 1; times > 0; times -= 1) {
            await ground.commit({ window: asked, batch: batchOf([], answer), stream });
          }
          known = [...known.filter(({ at }) => !inside(asked, at as number)), ...answer];
          expect(await rowsOf(stream)).toEqual(known.map(lineOf).toSorted());
        }
        const { series } = await listed();
        expect(series.map(sumOf)).toEqual(summed(known));
        for (const { examples, ...names } of series) {
          const instants = known.filter((one) => lineOf({ ...one, at: 0 }) === lineOf({ ...names, at: 0, raw: '' }));
          for (const { at } of examples) expect(instants.map((one) => one.at)).toContain(at);
        }
        const part = known.filter(({ at, sensor }) => inside(range, at as number) && sensor === 'a');
        const found = await listed({ ...range, sensor: 'a' });
        expect(found.series.map(sumOf)).toEqual(summed(part));
        expect(found.reasons.reduce((sum, { refused }) => sum + refused, 0)).toBe(part.length);
      }),
      { numRuns: 25 },
    );
  });

  const hour = { from: BORDER, to: BORDER + HOUR };
  const many = (count: number, more: Partial<Refusal> = {}): Refusal[] =>
    Array.from({ length: count }, (_, index) => refusal(BORDER + index * 1_000, more));

  it('are replaced by large windows, too, in the transaction of the window', async () => {
    const stream = await newStream();
    const large = columnsFrom(BORDER, SMALL + 1);
    for (let turn = 0; turn < 2; turn += 1) {
      await ground.commit({ window: hour, batch: batchOf(large, many(1_500)), stream });
      expect(await rowsOf(stream)).toHaveLength(1_500);
    }
    const stop = (): Promise<void> => Promise.reject(new Error('killed'));
    for (const columns of [[], large]) {
      const commit = ground.commit({ window: hour, batch: batchOf(columns), stream, also: stop });
      await expect(commit).rejects.toThrow('killed');
      expect(await rowsOf(stream)).toHaveLength(1_500);
    }
    await ground.commit({ window: hour, batch: batchOf(large), stream });
    expect(await rowsOf(stream)).toEqual([]);
    expect((await listed()).series).toEqual([]);
    await dropLogs();
    expect(await database.rows('select from refused_hour where stream_id = $1', [stream])).toEqual([]);
  });

  it('have examples of every sensor, from their first to their last hour', async () => {
    const stream = await newStream();
    for (let place = 0; place < 5; place += 1) {
      const window = { from: BORDER + place * HOUR, to: BORDER + (place + 1) * HOUR };
      const refusals = ['a', 'b'].flatMap((sensor) =>
        Array.from({ length: 60 }, (_, index) =>
          refusal(window.from + index * MINUTE, { sensor, raw: `"${sensor} ${place}:${index}"` }),
        ),
      );
      await ground.commit({ window, batch: batchOf([], refusals), stream });
    }
    const { series } = await listed();
    expect(series.map(({ sensor, examples }) => [sensor, examples.map(({ raw }) => raw)])).toEqual([
      ['a', ['"a 0:0"', '"a 2:32"', '"a 4:59"']],
      ['b', ['"b 0:0"', '"b 2:32"', '"b 4:59"']],
    ]);
    expect((await listed({}, 1)).series).toHaveLength(1);
    expect((await listed({}, 1)).reasons).toMatchObject([{ reason: 'not-a-number', refused: 600, series: 2 }]);
  });

  it('without an instant stand at the start of their window', async () => {
    const stream = await newStream();
    const lost = [1, 2, 3].map((number) => refusal(undefined, { raw: `day ${number}`, reason: 'bad-instant' }));
    for (let turn = 0; turn < 2; turn += 1) {
      await ground.commit({ window: hour, batch: batchOf([], lost, hour.from), stream });
      expect((await listed()).series).toMatchObject([{ reason: 'bad-instant', refused: 3, first: hour.from }]);
    }
  });

  it('may hold any text of a platform: NUL, halves of characters, very long names', async () => {
    const stream = await newStream();
    const texts = ['nul \0', 'half \ud83d', '\udc00 half', `long ${'ü'.repeat(10_000)}`, '"\\u0000"', 'whole 😀'];
    // Names that become one when they are cut or made printable.
    const alike = ['nul ␀', `long ${'ü'.repeat(10_001)}`];
    const odd = [...texts, ...alike].flatMap((text) => [
      refusal(BORDER, { sensor: text, reason: 'bad-sensor-id' }),
      refusal(BORDER, { variable: text, reason: 'bad-value-name' }),
      refusal(BORDER, { raw: text.slice(0, 200), sensor: text, variable: text }),
    ]);
    for (const count of [1, SMALL + 1]) {
      await ground.commit({ window: hour, batch: batchOf(columnsFrom(BORDER, count), odd), stream });
    }
    const { series, reasons } = await listed();
    expect(reasons.map(({ reason, refused }) => [reason, refused])).toEqual([
      ['bad-sensor-id', 8],
      ['bad-value-name', 8],
      ['not-a-number', 8],
    ]);
    expect(series.flatMap(({ examples }) => examples.map(({ raw }) => raw))).toEqual(
      expect.arrayContaining(['nul ␀', 'half \ufffd', '\ufffd half', '"\\u0000"', 'whole 😀']),
    );
  });

  it('go with their sensors to another stream', async () => {
    const stream = await newStream();
    const refusals = [...many(3, { sensor: 'a' }), ...many(2, { sensor: 'b' })];
    await ground.commit({ window: hour, batch: batchOf([], refusals), stream });
    const selection = { group: undefined, sensors: ['b'], variables: undefined };
    const [added] = await database.transaction((client) =>
      addStreams(client, ground.source.sourceId, [{ key: 'apart', selection, sensors: [], inherits: [stream] }]),
    );
    expect(await rowsOf(added?.id ?? NaN)).toEqual(refusals.slice(3).map(lineOf));
    expect(await rowsOf(stream)).toEqual(refusals.slice(0, 3).map(lineOf));
  });

  it('leave with the other logs', async () => {
    const stream = await newStream();
    await ground.commit({ window: hour, batch: batchOf([], many(3)), stream });
    await dropLogs();
    expect(await rowsOf(stream)).toHaveLength(3);
    await dropLogs(1);
    expect(await rowsOf(stream)).toHaveLength(3);
    await ground.commit({ window: hour, batch: batchOf([], [...many(3), ...many(2, { sensor: 'b' })]), stream });
    await dropLogs(1);
    const { reasons, undated } = await listed();
    expect(reasons).toHaveLength(1);
    expect((reasons[0]?.refused ?? 0) + undated).toBe(5);
    expect(undated).toBeGreaterThan(0);
    await database.run(`update refused_hour set noted_at = now() - interval '31 days' where stream_id = $1`, [stream]);
    await dropLogs();
    expect(await rowsOf(stream)).toEqual([]);
  });
});
