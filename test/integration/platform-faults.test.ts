import { afterAll, beforeAll, expect, test } from 'vitest';
import { startHttpFault } from '../kit/http-fault.ts';
import type { HttpFault } from '../kit/http-fault.ts';
import { useDatabases } from '../kit/databases.ts';
import type { SimulatedFault } from '../../src/simulator/faults.ts';
import { truth } from '../../src/simulator/truth.ts';
import type { TruthSpec } from '../../src/simulator/truth.ts';
import { eventually, startRig, Waiting } from './daemon-rig.ts';
import type { Rig, SourceState } from './daemon-rig.ts';
import { device, differences, livingPlant, NONE, startPlant, thingsboard } from './plant-simulator.ts';
import type { Plant } from './plant-simulator.ts';

// Broken platforms beside healthy ones on one daemon. A broken source shows its fault, is asked seldom and is complete
// once the platform is repaired; the healthy sources keep their interval.

const WRONG: readonly [fault: SimulatedFault, page: RegExp | undefined][] = [
  [{ kind: 'truncate' }, /"ts"/],
  [{ kind: 'wrong-shape', shape: 'html' }, /<form action="\/login">/],
  [{ kind: 'wrong-shape', shape: 'array' }, /\[1,"two",null\]/],
  [{ kind: 'wrong-shape', shape: 'types' }, /./],
  [{ kind: 'wrong-shape', shape: 'object' }, /500/],
  [{ kind: 'bad-value', value: 'NaN', every: 1 }, /NaN/],
  [{ kind: 'duplicate-timestamps', every: 1 }, /"ts"/],
  [{ kind: 'future-dates' }, /"ts"/],
];

const sound = device(90);
const ill = livingPlant([...WRONG.map((_, index) => device(index + 1)), sound], 1);
const cut = livingPlant([device(21)], 1);
const torn = livingPlant([device(22)], 1);
const hung = livingPlant([device(31), device(32)], 1);
const slow = livingPlant([device(41)], 1);
const healthy = livingPlant([device(51), device(52), device(53)], 1);

const plants: Record<string, { spec: TruthSpec; faults: SimulatedFault[]; at?: Plant }> = {
  ill: { spec: ill, faults: WRONG.map(([fault], index) => ({ ...fault, match: `${device(index + 1).id}/values/` })) },
  cut: { spec: cut, faults: [{ kind: 'reset', match: '/values/' }] },
  torn: { spec: torn, faults: [{ kind: 'truncate', lost: 'connection', match: '/values/' }] },
  hung: { spec: hung, faults: [{ kind: 'hang', match: '/values/' }] },
  slow: { spec: slow, faults: [{ kind: 'slow', delayMs: 1_500 }] },
  healthy: { spec: healthy, faults: [] },
};

const databases = useDatabases();
let rig: Rig;
let begunMs: number;
let past: HttpFault;

const plant = (name: string): Plant => plants[name]?.at as Plant;

beforeAll(async () => {
  rig = await startRig(databases, ['hall', 'past']);
  for (const one of Object.values(plants)) {
    one.at = await startPlant({ truth: one.spec });
    await one.at.simulator().faults(...one.faults);
  }
  const schedule = { every: '1s', start: '1h', settle: '1s', overlap: '0s' };
  const broken = ['ill', 'cut', 'torn', 'hung', 'slow'].map((name) => thingsboard(name, plant(name).url, { schedule }));
  past = await startHttpFault(plant('healthy').url);
  const [only] = healthy.devices;
  past.next(Infinity, { status: 200, body: '<html>maintenance</html>' }, ({ url }) => {
    const query = new URL(url, 'http://plant.test').searchParams;
    const badMs = begunMs - 1_800_000;
    return Number(query.get('startTs')) <= badMs && badMs < Number(query.get('endTs'));
  });
  broken.push(
    thingsboard('past', past.url, {
      project: 'past',
      schedule: { ...schedule, maxWindow: '5m' },
      options: { devices: [only?.name] },
    }),
  );
  const healthySources = healthy.devices.map(({ name }) =>
    thingsboard(name, plant('healthy').url, { schedule, options: { devices: [name] } }),
  );
  begunMs = Date.now();
  await rig.apply(...healthySources, ...broken);
});

afterAll(async () => {
  await rig.close();
  await past.close();
  for (const { at } of Object.values(plants)) await at?.stop();
});

const sourceThat = (name: string, holds: (state: SourceState) => boolean): Promise<SourceState> =>
  eventually(name, async () => {
    const state = await rig.source(name);
    return holds(state) ? state : new Waiting(state);
  });

/** Waits for `count` live windows that are asked from now on. */
async function livePolls(name: string, count: number): Promise<void> {
  const fromMs = Date.now();
  await eventually(`${count} live windows of ${name}`, async () => {
    const { rows } = await rig.client.query<{ windows: number }>(
      `select count(*)::int as windows from window_log join source on source.id = source_id
       where name = $1 and lane = 'live' and asked_at > at_instant($2)`,
      [name, fromMs * 1000],
    );
    return (rows[0]?.windows ?? 0) >= count || new Waiting(rows);
  });
}

const isComplete = async (name: string, spec: TruthSpec, untilMs: number): Promise<void> => {
  await rig.covered(name, untilMs);
  const { startMs } = await rig.source(name);
  expect(await differences(rig.client, spec, { fromMs: startMs, toMs: untilMs })).toEqual(NONE);
};

test('a wrong answer leaves its device uncovered and is kept for the operator, and the other devices go on', async () => {
  const broken = await sourceThat(
    'ill',
    ({ streams }) => streams.filter(({ fault }) => fault !== null).length === WRONG.length,
  );
  for (const [index, [fault, page]] of WRONG.entries()) {
    const stream = broken.streams.find(({ key }) => key === device(index + 1).id);
    expect(stream?.fault, fault.kind).toMatchObject({ code: 'contract-broken', where: expect.stringContaining('Z/') });
    expect(stream?.fault?.page, JSON.stringify(fault)).toMatch(page ?? /^/);
  }
  // Some of these faults spoil points only: the answer to a window without a point is sound, and that time is covered.
  const { rows } = await rig.client.query<{ key: string; fromMs: number; toMs: number }>(
    `select key, instant_of(lower(part))::float8 / 1000 as "fromMs", instant_of(upper(part))::float8 / 1000 as "toMs"
     from stream join source on source.id = source_id cross join unnest(covered) as part
     where name = 'ill' and key <> $1`,
    [sound.id],
  );
  for (const { key, fromMs, toMs } of rows) expect(truth(ill, key, 'flow', fromMs, toMs), key).toEqual([]);
  // The sound device is read up to its edge, and meanwhile the source still shows the fault.
  const nowMs = Date.now();
  await eventually('the sound device', async () => {
    const found = await differences(rig.client, ill, { fromMs: broken.startMs, toMs: nowMs, devices: [sound] });
    return found.missing === 0 || new Waiting(found);
  });
  await livePolls('ill', 3);
  expect((await rig.source('ill')).fault).toMatchObject({ code: 'contract-broken' });
});

test('a page of the past that cannot be read delays neither the edge nor the rest of the past', async () => {
  const kept = async (): Promise<unknown[]> => {
    const { rows } = await rig.client.query(
      `select fault from unreadable join stream on stream.id = stream_id join source on source.id = source_id
       where source.name = 'past' and from_at <= at_instant($1) and to_at > at_instant($1)`,
      [(begunMs - 1_800_000) * 1000],
    );
    return rows;
  };
  const shown = await eventually('the page is set aside', async () => {
    const rows = await kept();
    return rows.length > 0 ? rows : new Waiting(rows);
  });
  expect(shown).toMatchObject([{ fault: { code: 'contract-broken', page: expect.stringContaining('maintenance') } }]);
  // The edge moves on, and time older than the page is covered, too.
  await livePolls('past', 5);
  await eventually('the rest of the past', async () => {
    const { rows } = await rig.client.query<{ gaps: number; covered: string }>(
      `select covered::text, (select count(*)::int from unnest(tstzmultirange(tstzrange(start_at, upper(covered))) - covered)) as gaps
       from stream join source on source.id = source_id where name = 'past' and covered @> (start_at + interval '1 minute')`,
    );
    return rows[0]?.gaps === 1 || new Waiting(rows);
  });
  expect(await kept()).toMatchObject([{ fault: { code: 'contract-broken' } }]);
});

test('a source whose connections break is retried, stays active and shows the fault with a remedy', async () => {
  for (const name of ['cut', 'torn']) {
    const state = await sourceThat(name, ({ failures }) => failures >= 3);
    expect(state.fault).toMatchObject({ code: 'unavailable', why: 'reset', remedy: expect.stringMatching(/./) });
    expect(state.state).toBe('active');
  }
});

test('healthy sources keep their interval, and broken ones do not flood the log', async () => {
  await eventually('twenty seconds of trouble', () => Date.now() - begunMs > 20_000);
  for (const { name } of healthy.devices) {
    // A machine that is busy for a while catches up with its interval again.
    await eventually(`${name} is polled once a second`, async () => {
      const { rows } = await rig.client.query<{ polls: number }>(
        `select count(*)::int as polls from window_log join source on source.id = source_id
         where name = $1 and lane = 'live' and asked_at > at_instant($2)`,
        [name, (Date.now() - 12_000) * 1000],
      );
      return (rows[0]?.polls ?? 0) >= 8 || new Waiting(rows);
    });
    expect(rig.complaints(name)).toEqual([]);
    await isComplete(name, { ...healthy, devices: healthy.devices.filter((one) => one.name === name) }, Date.now());
    // The rest of this file waits for the broken ones, and each poll meanwhile costs the machine what it costs an operator's.
    await rig.bridge.succeed('source', 'pause', name);
  }
  expect(rig.complaints('slow')).toEqual([]);
  const waited = (Date.now() - begunMs) / 1000;
  // A stream of a broken answer is asked again after 30 s or more in each of its two lanes, a source after 1, 2, 4, … s.
  expect(rig.complaints('ill').length).toBeLessThanOrEqual(WRONG.length * 2 * Math.ceil(waited / 15));
  expect(rig.complaints('cut').length).toBeLessThanOrEqual(12);
  expect(rig.complaints('torn').length).toBeLessThanOrEqual(12);
});

test('a request without an answer ends with a time-out', async () => {
  const state = await sourceThat('hung', ({ fault }) => fault !== null);
  expect(state.fault).toMatchObject({
    code: 'unavailable',
    why: 'time-out',
    message: expect.stringMatching(/no answer/),
  });
});

test('after the platforms are repaired every source becomes complete', async () => {
  for (const name of ['ill', 'cut', 'torn', 'slow']) await plant(name).simulator().faultsOff();
  past.heal();
  await plant('hung').simulator().faultsOff();
  plant('hung').proxy.reset();
  // After so many time-outs it would be asked again in up to two minutes.
  await rig.bridge.succeed('source', 'poll', 'hung');
  const untilMs = Date.now();
  // Those that recover soon are paused, so that they are not polled while the others wait to be asked again.
  for (const [name, spec] of Object.entries({ slow, cut, torn, hung })) {
    await isComplete(name, spec, untilMs);
    if (name === 'cut' || name === 'torn')
      await sourceThat(name, ({ fault, failures }) => fault === null && failures === 0);
    await rig.bridge.succeed('source', 'pause', name);
  }
  await rig.covered('past', untilMs);
  await isComplete('ill', ill, untilMs);
  for (const name of ['ill', 'past']) await sourceThat(name, ({ fault, failures }) => fault === null && failures === 0);
});
