import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
import { useDatabases } from '../kit/databases.ts';
import { readingsIn } from '../kit/stored-source.ts';
import type { Faults } from '../kit/faulty-pipe.ts';
import { startProxy } from '../kit/proxy.ts';
import type { Proxy } from '../kit/proxy.ts';
import { PATH, curl, pushAs, startApi } from './api-rig.ts';
import type { Answered, ApiUnderTest, Client } from './api-rig.ts';

const databases = useDatabases();
let api: ApiUnderTest;
let proxy: Proxy | undefined;

afterEach(async () => {
  await proxy?.set({});
  await api.close();
  await proxy?.close();
  proxy = undefined;
});

/** Blocks every write of readings until the returned function is called. */
async function blockWrites(): Promise<() => Promise<void>> {
  const blocker = new pg.Client({ connectionString: api.database.url });
  await blocker.connect();
  await blocker.query('begin; lock table reading in exclusive mode');
  return async () => {
    await blocker.query('commit');
    await blocker.end();
  };
}

const bodyOf = (sensor: string, readings: number): unknown[] =>
  Array.from({ length: readings }, (_, index) => ({
    sensorId: sensor,
    date: new Date(Date.UTC(2026, 0, 1, 0, 0, index)).toISOString(),
    value: index,
  }));

/** Little room, and more patience than a slow machine needs to fill it. */
const TINY = {
  DATABRIDGE_API_BODY_BYTES: '65536',
  DATABRIDGE_API_WAITING_BYTES: '1048576',
  DATABRIDGE_API_WAIT_SECONDS: '600',
};

/** A body of 700 readings has about 50 kB, so ten bodies fill about half of the room above. */
const READINGS = 700;

/** Pushes until any push is answered, which is a refusal while writes are blocked. The other answers are still to come, and some of them may be refusals, too. */
async function flood(client: Client, name: string): Promise<Promise<Answered>[]> {
  const answers: Promise<Answered>[] = [];
  for (let index = 0; index < 100; index += 1) {
    const answer = pushAs(client, api.url + PATH, bodyOf(`${name}-${index}`, READINGS));
    answers.push(answer);
    if ((await Promise.race([...answers, sleep(300)])) !== undefined) return answers;
  }
  throw new Error('no push was refused');
}

/** How many pushes of a flood were accepted. Each was accepted whole or refused with a `Retry-After`. */
async function takenOf(answers: readonly Promise<Answered>[]): Promise<number> {
  const all = await Promise.all(answers);
  const taken = all.filter(({ status }) => status === 200);
  for (const answer of taken) expect(answer.json).toMatchObject({ accepted: READINGS });
  for (const answer of all.filter(({ status }) => status !== 200)) {
    expect(answer).toMatchObject({ status: 503, json: { code: 'overloaded' } });
    expect(answer.headers['retry-after']).toBe('2');
  }
  expect(taken.length).toBeLessThan(all.length);
  return taken.length;
}

/** Pushes again for as long as the answer is that the database did not answer in time. */
async function pushUntilTaken(body: unknown): Promise<Answered> {
  for (;;) {
    const answer = await api.push(body);
    if (answer.status !== 503) return answer;
  }
}

describe('when the database cannot follow', () => {
  it('answers 503 with Retry-After, stores no body in part, and keeps room for other applications', async () => {
    api = await startApi(databases, TINY);
    const [other, third] = [await api.application('other'), await api.application('third')];
    await api.push(bodyOf('warm', 1));
    const release = await blockWrites();
    const ofClient = await flood(api.client, 'one');
    const ofOther = await flood(other, 'two');
    const small = pushAs(third, api.url + PATH, bodyOf('three', 1));
    expect(await curl(`${api.url}/healthz`)).toMatchObject({ status: 200 });
    await release();
    const [taken, takenOfOther] = [await takenOf(ofClient), await takenOf(ofOther)];
    expect(taken).toBeGreaterThan(5);
    expect(takenOfOther).toBeGreaterThan(2);
    expect(await small).toMatchObject({ status: 200, json: { accepted: 1 } });
    expect(await readingsIn(api.database)).toHaveLength(2 + READINGS * (taken + takenOfOther));
    // The application may push again now.
    const again = await api.push(bodyOf('again', READINGS));
    expect(again).toMatchObject({ status: 200, json: { accepted: READINGS } });
  });

  it('answers 503 after the waiting time', async () => {
    api = await startApi(databases, { DATABRIDGE_API_WAIT_SECONDS: '1' });
    await pushUntilTaken(bodyOf('warm', 1));
    const release = await blockWrites();
    const answers = await Promise.all(['a', 'b', 'c'].map((sensor) => api.push(bodyOf(sensor, 3))));
    for (const answer of answers) {
      expect(answer).toMatchObject({ status: 503, json: { code: 'database-away' } });
      expect(answer.headers['retry-after']).toBe('5');
    }
    await release();
    const again = await Promise.all(['a', 'b', 'c'].map((sensor) => pushUntilTaken(bodyOf(sensor, 3))));
    for (const { status, json } of again) {
      const { accepted, duplicates } = json as { accepted: number; duplicates: number };
      expect([status, accepted + duplicates]).toEqual([200, 3]);
    }
    expect(await readingsIn(api.database)).toHaveLength(10);
  });

  it('issues access tokens that live shorter', async () => {
    api = await startApi(databases, {
      ...TINY,
      DATABRIDGE_TOKEN_MIN_SECONDS: '100',
      DATABRIDGE_TOKEN_MAX_SECONDS: '900',
    });
    const lifetime = async (): Promise<number> => {
      const basic = `${api.client.applicationId}:${api.client.secret}`;
      const answer = await curl('-u', basic, '-d', 'grant_type=client_credentials', `${api.url}/v0/oauth2/token`);
      return (answer.json as { expires_in: number }).expires_in;
    };
    expect(await lifetime()).toBe(900);
    await api.push(bodyOf('warm', 1));
    const release = await blockWrites();
    const answers = await flood(api.client, 'one');
    expect(await lifetime()).toBeLessThan(900);
    await release();
    await takenOf(answers);
    expect(await lifetime()).toBe(900);
  });
});

describe('when the database', () => {
  async function startBehindProxy(): Promise<Proxy> {
    const url = new URL(await databases.createEmpty());
    const between = await startProxy({ port: Number(url.port) });
    proxy = between;
    url.port = String(between.port);
    api = await startApi(databases, { DATABRIDGE_API_WAIT_SECONDS: '1' }, url.href);
    await pushUntilTaken(bodyOf('warm', 1));
    return between;
  }

  const token = (): Promise<Answered> => {
    const basic = `${api.client.applicationId}:${api.client.secret}`;
    return curl('-u', basic, '-d', 'grant_type=client_credentials', `${api.url}/v0/oauth2/token`);
  };

  const cases: [string, Faults][] = [
    ['refuses connections', { connections: 'refuse' }],
    ['resets connections', { connections: 'reset' }],
    ['is silent', { stalled: true }],
  ];
  it.each(cases)('%s, the API lives, is not ready, and answers 503 until it is back', async (_, faults) => {
    const between = await startBehindProxy();
    await between.set(faults);
    if (faults.connections !== undefined) between.reset();
    let ready = await curl(`${api.url}/readyz`);
    while (ready.status === 200) ready = await curl(`${api.url}/readyz`);
    expect(ready).toMatchObject({ status: 503, json: { code: 'database-away' } });
    expect(ready.headers['retry-after']).toBe('5');
    expect(await curl(`${api.url}/healthz`)).toMatchObject({ status: 200 });
    for (const sensor of ['warm', 'new']) {
      const answer = await api.push(bodyOf(sensor, 2));
      expect(answer).toMatchObject({ status: 503, json: { code: 'database-away' } });
    }
    expect(await token()).toMatchObject({ status: 503, json: { error: 'temporarily_unavailable' } });
    await between.set({});
    for (const sensor of ['new', 'warm']) {
      let answer = await api.push(bodyOf(sensor, 2));
      while (answer.status === 503) answer = await api.push(bodyOf(sensor, 2));
      expect(answer.status).toBe(200);
    }
    expect(await readingsIn(api.database)).toHaveLength(4);
    let back = await curl(`${api.url}/readyz`);
    while (back.status !== 200) back = await curl(`${api.url}/readyz`);
    expect(api.log()).not.toContain('a request of the API failed');
  });
});
