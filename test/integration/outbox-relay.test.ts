import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pino } from 'pino';
import { delivererOf } from '../../src/delivery/deliverer.ts';
import { listIngestions, setRemote } from '../../src/delivery/remote.ts';
import { remoteRefusals } from '../../src/delivery/refusals.ts';
import { refusalsByReason, refusalsOf } from '../../src/source/refusals.ts';
import { useDatabases } from '../kit/databases.ts';
import { pushAs, startApi } from './api-rig.ts';
import type { ApiUnderTest } from './api-rig.ts';
import { eventually } from './daemon-rig.ts';
import { PROJECT_HERE, START, makeRig, truthOf } from './outbox-rig.ts';
import type { Point, Rig, Worker } from './outbox-rig.ts';

const databases = useDatabases();
let rig: Rig;
let worker: Worker;
let remote: ApiUnderTest | undefined;

beforeEach(async () => {
  rig = await makeRig(databases);
  worker = await rig.worker();
});

afterEach(async () => {
  await rig.close();
  await remote?.close();
  remote = undefined;
});

const points = (count: number, value = 1): Point[] =>
  Array.from({ length: count }, (_, at) => ({ sensor: `s${at % 5}`, at, value: value + at / 3 }));

describe('the API of another bridge', () => {
  /** Starts another bridge, and lets the project be pushed to it. */
  async function pushToBridge(environment: Record<string, string> = {}): Promise<ApiUnderTest> {
    remote = await startApi(databases, environment);
    const { applicationId, secret } = remote.client;
    await rig.push({ url: remote.url, organisation: 'default', code: 'hall', applicationId, secret });
    return remote;
  }

  it('gets values, precisions, labels, names and instants of a µs unchanged', async () => {
    const { database } = await pushToBridge({ DATABRIDGE_API_BACK_DAYS: '36500' });
    await rig.commit([
      { sensor: 'Pumpe "7"/ü \u{1f600}', at: 0.000_001, value: 0.1 + 0.2, precision: 0, labels: ['a,"{}', 'b'] },
      { sensor: 'x'.repeat(256), at: 1, value: -1.7976931348623157e308, precision: 100 },
      { sensor: 'small', at: -60 * 365 * 86_400, value: 5e-324 },
      ...points(6_000),
    ]);
    await rig.commit(points(6_000, 2));
    await rig.commit(points(6_000, 2));
    await rig.drain([worker]);
    expect(await truthOf(database, 'hall')).toEqual(await truthOf(rig.database));
    expect(await truthOf(database, 'hall')).toHaveLength(6_003);
    const [line] = await listIngestions(rig.database, PROJECT_HERE);
    // The values that the second commit revised were still waiting, so they are not sent.
    expect(line).toMatchObject({ delivered24h: 6_003, refused24h: 0, waiting: 0, fault: null });
  });

  it('gets bodies of the size it allows', async () => {
    const { database } = await pushToBridge({ DATABRIDGE_API_BODY_BYTES: '65536', DATABRIDGE_API_READINGS: '400' });
    await rig.commit(points(5_000));
    await rig.drain([worker]);
    expect(await truthOf(database, 'hall')).toEqual(await truthOf(rig.database));
    expect((await rig.remote()).batch).toBeLessThanOrEqual(400);
  });

  it('gets the new and revised readings that clients push to this bridge, and none twice', async () => {
    const there = await pushToBridge();
    const here = await startApi(databases);
    const { applicationId, secret } = there.client;
    try {
      await setRemote(
        here.database,
        rig.sealing,
        { organisation: 'default', code: 'hall' },
        { url: there.url, organisation: 'default', code: 'hall', applicationId, secret, mostWaiting: 1_000_000 },
        'test',
      );
      const body = (count: number, value: number): unknown[] =>
        Array.from({ length: count }, (_, index) => ({
          sensorId: `p${index % 3}`,
          date: new Date(START / 1_000 + index * 1_000).toISOString(),
          value: index % 2 === 0 ? value : 0,
        }));
      const counts = { accepted: 3_000, duplicates: 0, revised: 0 };
      expect((await here.push(body(3_000, 1))).json).toMatchObject(counts);
      expect((await here.push(body(3_000, 2))).json).toMatchObject({ accepted: 0, duplicates: 1_500, revised: 1_500 });
      const other = await here.application('other');
      const url = `${here.url}/v0/organisations/default/data/hall`;
      await Promise.all([1, 2, 3, 4].map((value) => pushAs(value % 2 ? other : here.client, url, body(20, value))));
      const noted = await here.database.row('select sum(readings) as n, count(stream_id) as streams from outbox');
      expect(noted).toMatchObject({ streams: 0 });
      expect(Number(noted?.['n'])).toBeGreaterThanOrEqual(4_500);
      const deliverer = delivererOf({
        database: here.database,
        sealing: rig.sealing,
        fetch,
        workerId: worker.id,
        log: pino({ level: 'silent' }),
        now: () => START,
      });
      await eventually('it is delivered', async () => {
        await deliverer.look();
        return (await here.database.row<{ n: number }>('select count(*) as n from outbox'))?.n === 0;
      });
      await deliverer.stop();
      expect(await truthOf(there.database, 'hall')).toEqual(await truthOf(here.database, 'hall'));
    } finally {
      await here.close();
    }
  });
});

describe('a reading that the service refuses', () => {
  it('becomes a refusal with its reason, is counted exactly where an answer names only 1,000, and blocks no other', async () => {
    await rig.push();
    rig.service.refuse(({ value }) => (value < 0 ? 'below-zero' : undefined));
    const many = Array.from({ length: 6_000 }, (_, at): Point => ({
      sensor: 's',
      at,
      value: at % 2 === 0 ? -1 - at : at,
    }));
    await rig.commit(many);
    await rig.commit([{ sensor: 'last', at: 0, value: 1 }]);
    await rig.drain([worker]);
    expect(rig.service.stored()).toEqual((await truthOf(rig.database)).filter((line) => !/ -\d/.test(line)));
    expect(rig.service.stored()).toHaveLength(3_001);

    const { series } = await refusalsOf(rig.database, { sourceId: rig.source.sourceId, reason: 'refused-there' }, 5);
    expect(series).toMatchObject([{ reason: 'refused-there', sensor: 's', variable: 'value', refused: 3_000 }]);
    expect(series[0]?.examples[0]?.raw).toMatch(/^-\d+: below-zero: said of s$/);
    expect(await refusalsByReason(rig.database, rig.source.sourceId)).toMatchObject([
      { reason: 'refused-there', refused: 3_000 },
    ]);
    const there = await remoteRefusals(rig.database, PROJECT_HERE, 10_000);
    expect(there).toHaveLength(1_000);
    expect(there[0]).toMatchObject({ source: 'source', sensor: 's' });
    const [line] = await listIngestions(rig.database, PROJECT_HERE);
    expect(line).toMatchObject({ delivered24h: 3_001, refused24h: 3_000, fault: null, state: 'active' });
  });

  it('causes no fault where all readings of a body are refused', async () => {
    await rig.push();
    rig.service.refuse(() => 'not-today');
    await rig.commit(points(10));
    await rig.drain([worker]);
    expect(rig.service.bodies.map(({ status }) => status)).toEqual([422]);
    expect(await rig.remote()).toMatchObject({ failures: 0, fault: null });
    expect(await remoteRefusals(rig.database, PROJECT_HERE, 100)).toHaveLength(10);
    // The same readings, revised, are taken.
    rig.service.refuse(() => undefined);
    await rig.commit(points(10, 5));
    await rig.drain([worker]);
    await rig.expectEqual();
  });

  it('is counted once where the first answer was lost', async () => {
    await rig.push();
    rig.service.refuse(({ value }) => (value < 2 ? 'too-little' : undefined));
    rig.service.fail({ kind: 'reset-after-storing' });
    await rig.commit(points(10));
    await rig.drain([worker]);
    expect(rig.service.bodies).toHaveLength(2);
    const there = await remoteRefusals(rig.database, PROJECT_HERE, 100);
    expect(there).toHaveLength(3);
    const { reasons } = await refusalsOf(rig.database, { sourceId: rig.source.sourceId }, 5);
    expect(reasons).toMatchObject([{ reason: 'refused-there', refused: 3 }]);
  });

  it('becomes a refusal of the project where a client pushed it or its source was removed', async () => {
    await rig.push();
    rig.service.refuse(() => 'never');
    await rig.commit(points(2));
    await rig.database.run('update outbox set stream_id = null');
    await rig.commit(points(3, 7));
    await rig.database.run('delete from source');
    await rig.drain([worker]);
    const there = await remoteRefusals(rig.database, PROJECT_HERE, 100);
    expect(there).toHaveLength(3);
    expect(there.every(({ source }) => source === null)).toBe(true);
    const [line] = await listIngestions(rig.database, PROJECT_HERE);
    expect(line).toMatchObject({ refused24h: 3 });
  });
});
