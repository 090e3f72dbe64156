import type { FastifyInstance, FastifyReply } from 'fastify';
import { expect, it } from 'vitest';
import { z } from 'zod';
import type { Database } from '../../src/database/database.ts';
import { audit } from '../../src/access/audit.ts';
import { useDatabases } from '../kit/databases.ts';
import { startApi } from './api-rig.ts';
import { PLANT_SECRET } from './fuzz/operator-ground.ts';
import { fuzzOperatorApi } from './fuzz/operator-fuzz.ts';
import { fuzzPushApi } from './fuzz/push-fuzz.ts';
import { FUZZ_SEED, requestsOf } from './fuzz/size.ts';
import type { Findings } from './fuzz/turns.ts';

// Requests to every operation that the servers describe in their OpenAPI documents: valid, with one change, and random ones. A new
// operation is asked, too, without a line here. `npm run test:soak` sends ten times as many.

const databases = useDatabases();

/** Requests to one database; a new one begins with few rows, so lists stay short. */
const CHAPTER = 10_000;

/** Of the operations that were asked often, most were answered with success once: a fuzz that is only refused judges little. */
function expectReached({ counts }: Findings): void {
  const asked = new Map<string, { all: number; well: number }>();
  for (const [key, count] of counts) {
    const [id = '', status] = key.split(' ');
    const { all, well } = asked.get(id) ?? { all: 0, well: 0 };
    asked.set(id, { all: all + count, well: well + (Number(status) < 400 ? count : 0) });
  }
  const often = [...asked.values()].filter(({ all }) => all > 20);
  expect(often.filter(({ well }) => well > 0).length).toBeGreaterThanOrEqual(0.6 * often.length);
}

const OPERATOR = requestsOf('operator', 100);

it(`answers ${OPERATOR} requests of operators (seed ${FUZZ_SEED}) as its document says, and changes exactly what it says`, async () => {
  for (let sent = 0; sent < OPERATOR; sent += CHAPTER) {
    const requests = Math.min(CHAPTER, OPERATOR - sent);
    const findings = await fuzzOperatorApi(await databases.create(), { requests, seed: FUZZ_SEED + sent });
    expect(findings.list()).toEqual([]);
    expectReached(findings);
  }
}, 14_400_000);

/** Answers of operations, and the finding of each; undefined where there is none. */
const FAULTS: Readonly<
  Record<string, readonly [answer: (reply: FastifyReply, database: Database) => unknown, finding?: string]>
> = {
  fine: [() => ({ count: 1 })],
  broken: [() => Promise.reject(new Error('broken')), 'it is answered 500'],
  undocumented: [(reply) => reply.code(202).send(), 'status 202 is not documented'],
  misshapen: [(reply) => reply.send('{"count":"1"}'), 'the answer is not as documented: /count is no integer'],
  talkative: [() => ({ count: 1, secret: PLANT_SECRET }), 'the answer holds a secret'],
  inside: [() => ({ count: 1, at: 'src/main.ts:1' }), 'the answer tells of the inside: .ts:1'],
  unguarded: [() => ({ count: 1 }), 'a credential without rights is answered 200'],
  silent: [
    async (_reply, database) => {
      await database.run(`update organisation set name = name || 'x'`);
      return { count: 1 };
    },
    'organisation changed without an entry in the audit',
  ],
  repeated: [
    async (_reply, database) => {
      for (const action of ['a', 'b']) {
        await database.transaction((client) => audit(client, 'operator:root', action, 'x', {}));
      }
      return { count: 1 };
    },
    'one request has several entries in the audit',
  ],
};

it.each([
  ['fine', 'broken', 'undocumented', 'misshapen', 'talkative', 'inside', 'unguarded'],
  // Each alone, because the changes of the one would hide those of the other.
  ['silent'],
  ['repeated'],
])('finds the faults of operations that it was never told of: %s …', async (...names) => {
  const database = await databases.create();
  const addRoutes = (app: FastifyInstance): void => {
    const schema = { response: { 200: z.looseObject({ count: z.int() }) } };
    for (const name of names) {
      const config = { role: 'admin', ...(name === 'unguarded' && { opensTo: () => true }) } as const;
      app.post(`/api/v1/added/${name}`, { config, schema }, (_request, reply) => {
        // As it is, without the serializer that refuses a body of another form.
        reply
          .type('application/json')
          .serializer((body: unknown) => (typeof body === 'string' ? body : JSON.stringify(body)));
        return FAULTS[name]?.[0](reply, database);
      });
    }
  };
  const requests = 100 * names.length;
  const findings = await fuzzOperatorApi(database, { requests, seed: 1, addRoutes, only: '/api/v1/added' });
  const heads = findings.list().map((finding) => finding.split('\n')[0]);
  expect(heads.filter((head) => head?.includes('/fine'))).toEqual([]);
  const expected = names.flatMap((name) => FAULTS[name]?.[1] ?? []);
  expect(heads.map((head) => head?.replace(/^post \S+ /, ''))).toEqual(expect.arrayContaining(expected));
});

const PUSH = requestsOf('push', 20);

it(`answers ${PUSH} requests of applications (seed ${FUZZ_SEED}) as its document says`, async () => {
  const api = await startApi(databases, {
    DATABRIDGE_API_TOKENS_PER_MINUTE: '1000000',
    DATABRIDGE_API_FAILURES_PER_MINUTE: '1000000',
  });
  const findings = await fuzzPushApi(api, { requests: PUSH, seed: FUZZ_SEED });
  await api.close();
  expect(findings.list()).toEqual([]);
}, 14_400_000);
