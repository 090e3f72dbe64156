import { afterAll, beforeAll, expect, test } from 'vitest';
import { useDatabases } from '../kit/databases.ts';
import type { RecordedRequest } from '../../src/simulator/recorder.ts';
import { eventually, startRig, Waiting } from './daemon-rig.ts';
import type { Rig, SourceState } from './daemon-rig.ts';
import {
  dataRequests,
  device,
  differences,
  HOUR_MS,
  livingPlant,
  NONE,
  startPlant,
  thingsboard,
} from './plant-simulator.ts';
import type { Plant } from './plant-simulator.ts';

// A platform that asks for silence gets it from every lane. A platform that is overloaded and names no time is asked less
// and less. The source reads 30 hours of history all the while, one request at a time.

const spec = livingPlant([device(1, 10_000), device(2, 10_000)], 30);
const WAIT_SECONDS = 3;

/** How far the bridge's idea of the database's clock may be off while the machine is busy. */
const CLOCKS_MS = 500;

const databases = useDatabases();
let rig: Rig;
let plant: Plant;

beforeAll(async () => {
  [rig, plant] = await Promise.all([startRig(databases), startPlant({ truth: spec })]);
  // A hold may be over before a test looks.
  await rig.client.query(`
    create table hold_log (id bigint generated always as identity, state text, failures int, fault jsonb, held_until timestamptz);
    create function log_hold() returns trigger language plpgsql as $$ begin
      insert into hold_log (state, failures, fault, held_until) values (new.state, new.failures, new.last_fault, new.held_until);
      return null; end $$;
    create trigger log_hold after update of held_until on source
      for each row when (new.held_until is not null) execute function log_hold();`);
  await rig.apply(
    thingsboard('hall-3', plant.url, {
      schedule: { every: '500ms', start: '30h', settle: '1s', overlap: '0s', maxWindow: '10m' },
      // Slow, so that the history outlasts the faults; one request at a time, so that a fault meets no other on its way.
      pace: { requestsPerSecond: 20, burst: 1, concurrency: 1 },
    }),
  );
  await eventually('both lanes', async () => {
    const asked = dataRequests(await plant.log());
    return asked.some(isLive) && asked.some((request) => !isLive(request));
  });
});

afterAll(async () => {
  await rig.close();
  await plant.stop();
});

/** Only live asks for time that has just passed. */
const isLive = ({ toMs, arrivedMs }: { toMs: number; arrivedMs: number }): boolean => arrivedMs - toMs < 60_000;

/** The last request that a fault hit, and all requests after it, of which there are more than 20. */
async function afterFault(status: number, count = 1): Promise<{ hit: RecordedRequest; later: RecordedRequest[] }> {
  return eventually(`${status} and 20 requests after it`, async () => {
    const log = await plant.log();
    const hits = log.filter((request) => request.status === status);
    const hit = hits.at(-1);
    const later = hit === undefined ? [] : log.filter(({ number }) => number > hit.number);
    return hits.length >= count && hit !== undefined && later.length > 20 ? { hit, later } : new Waiting(log.length);
  });
}

/** The source as it was when it was held. */
type Held = Pick<SourceState, 'state' | 'failures' | 'fault'> & { readonly heldUntilMs: number };

/** Every hold of the source since `forgetHolds`. */
async function holds(): Promise<Held[]> {
  const { rows } = await rig.client.query<Held>(
    `select state, failures, fault, instant_of(held_until)::float8 / 1000 as "heldUntilMs" from hold_log order by id`,
  );
  return rows;
}

const forgetHolds = (): Promise<unknown> => rig.client.query('truncate hold_log');

const heldSource = (): Promise<Held> => eventually('held', async () => (await holds())[0] ?? false);

test.each([
  { status: 429, retryAfterAs: 'seconds' },
  { status: 429, retryAfterAs: 'date' },
  { status: 503, retryAfterAs: 'seconds' },
] as const)(
  '$status with Retry-After in $retryAfterAs: not one request before that instant',
  async ({ status, retryAfterAs }) => {
    const fault = { kind: 'status', status, retryAfterAs, retryAfterSeconds: WAIT_SECONDS } as const;
    // A healthy poll ends the failures of the case before.
    await eventually('no failures', async () => {
      const state = await rig.source('hall-3');
      return (state.failures === 0 && state.fault === null) || new Waiting(state);
    });
    const before = (await plant.log()).length;
    await forgetHolds();
    await plant.simulator().faults({ ...fault, next: 1, match: '/values/' });
    const state = await heldSource();
    expect(state).toMatchObject({ state: 'active', failures: 0, fault: { code: 'throttled' } });
    const { hit, later } = await afterFault(status);
    expect(hit.number).toBeGreaterThan(before);
    const silenceEndsMs = (hit.finishedMs ?? 0) + WAIT_SECONDS * 1000;
    expect(later.filter(({ arrivedMs }) => arrivedMs < silenceEndsMs - CLOCKS_MS)).toEqual([]);
    await plant.simulator().admin('POST', 'reset');
    expect(rig.complaints('hall-3')).toEqual([]);
  },
);

test.each([
  { status: 429, says: 'without Retry-After', code: 'throttled', failures: 3, leastMs: 10_000 },
  { status: 503, says: 'without Retry-After', code: 'unavailable', failures: 4, leastMs: 4_000 },
  { status: 429, says: 'Retry-After: 0', retryAfterSeconds: 0, code: 'throttled', failures: 3, leastMs: 10_000 },
  { status: 503, says: 'Retry-After: 0', retryAfterSeconds: 0, code: 'unavailable', failures: 4, leastMs: 4_000 },
  {
    status: 429,
    says: 'Retry-After: 1 for ever',
    retryAfterSeconds: 1,
    code: 'throttled',
    failures: 3,
    leastMs: 10_000,
  },
])(
  '$status, $says: each refusal in a row makes the wait longer',
  async ({ status, retryAfterSeconds, code, failures, leastMs }) => {
    const stated = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
    await forgetHolds();
    await plant.simulator().faults({ kind: 'status', status, ...stated, match: '/values/' });
    const failed = await eventually(`${failures} failures`, async () => {
      const found = (await holds()).filter((hold) => hold.failures > 0);
      return found.some((hold) => hold.failures === failures) ? found : new Waiting(found);
    });
    await plant.simulator().faultsOff();
    for (const hold of failed) expect(hold).toMatchObject({ state: 'active', fault: { code } });
    const longest = (count: number): number => {
      const lengths = failed.map(({ failures: at, heldUntilMs, fault }) =>
        at === count ? heldUntilMs - Date.parse(fault?.at ?? '') : 0,
      );
      return Math.max(...lengths);
    };
    expect(longest(failures)).toBeGreaterThanOrEqual(leastMs);
    expect(longest(1)).toBeLessThan(leastMs);
    // An operator may poll before the wait is over.
    await rig.bridge.succeed('source', 'poll', 'hall-3');
    await eventually('healthy again', async () => {
      const state = await rig.source('hall-3');
      return (state.failures === 0 && state.fault === null) || new Waiting(state);
    });
    await plant.simulator().admin('POST', 'reset');
  },
);

test.each(['poll', 'resume'])(
  'a day of silence is cut to what the source grants, is told, and ends with source %s',
  async (command) => {
    const askedForMs = Date.now();
    await forgetHolds();
    await plant
      .simulator()
      .faults({ kind: 'status', status: 429, retryAfterSeconds: 86_400, next: 1, match: '/values/' });
    const state = await heldSource();
    expect(state.heldUntilMs).toBeLessThan(Date.now() + HOUR_MS + CLOCKS_MS);
    expect(state.heldUntilMs).toBeGreaterThan(askedForMs + HOUR_MS - 60_000);
    expect(state.fault?.message).toMatch(/asks for 1d of silence, and pace.longestSilence grants 1h/);
    expect(state.fault?.remedy).toMatch(/source poll/);
    const before = (await plant.log()).length;
    await rig.bridge.succeed('source', command, 'hall-3');
    await eventually('healthy again', async () => {
      const now = await rig.source('hall-3');
      return (now.failures === 0 && now.fault === null && now.heldUntilMs === null) || new Waiting(now);
    });
    await eventually('requests', async () => dataRequests((await plant.log()).slice(before)).length > 0);
    await plant.simulator().admin('POST', 'reset');
  },
);

test('live resumes before history, and in the end nothing is missing', async () => {
  await plant.simulator().faults({ kind: 'status', status: 429, retryAfterSeconds: 2, next: 1, match: '/values/' });
  const { later } = await afterFault(429);
  // An empty window is followed by a question for its device. Windows of history hold points here, so it belongs to live.
  const [first] = later.filter(
    ({ path }) => path === '/api/devices' || dataRequests(later).some((one) => one.path === path),
  );
  expect(first?.path === '/api/devices' || dataRequests(later).slice(0, 1).some(isLive)).toBe(true);
  const untilMs = Date.now();
  await rig.covered('hall-3', untilMs);
  const { startMs } = await rig.source('hall-3');
  expect(await differences(rig.client, spec, { fromMs: startMs, toMs: untilMs })).toEqual(NONE);
});
