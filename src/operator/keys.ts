import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { assertKeyGiven, rotateSealingKey } from '../access/key-rotation.ts';
import { KEY_STATES, keyUse, keyUseDocument, keysNotNeeded, leftToReseal } from '../access/key-use.ts';
import { actorOf } from '../access/operators.ts';
import { rotateSigningKey, signingKeyDocument, storedSigningKeys } from '../access/stored-signing-keys.ts';
import { BridgeError } from '../core/errors.ts';
import { formatInstant } from '../core/instant.ts';
import { assertSeesAll, operatorOf } from './authenticate.ts';
import { answered, shows } from './documents.ts';
import type { OperatorParts } from './parts.ts';
import { changing, flag } from './route-shapes.ts';
import { errorLine, jsonLine, linesAnswer, openStreamsOf } from './streams.ts';

/** A rotation locks out every other one, so more would only hold connections. */
const MOST_ROTATIONS = { each: 1, all: 1 };

/** How often the progress is told, ms. */
const PROGRESS_MS = 250;

const keySchema = shows<ReturnType<typeof keyUseDocument>>()(
  z
    .object({
      seals: z.boolean(),
      present: z.boolean().describe('This process was started with it to seal.'),
      kid: z.string().nullable().describe('Names the key and tells nothing of it; null for values of before the ids.'),
      state: z
        .enum(KEY_STATES)
        .describe(
          '`seals` new values, `next`: a rotation to it is to come, `opens` values that stand, `missing` here.',
        ),
      place: z.string().nullable().describe('The variable or file that holds it for this process; null: none.'),
      values: z.record(z.string(), z.int()).describe('Values that it sealed, by table.'),
    })
    .meta({
      id: 'SealingKey',
      examples: [
        {
          seals: true,
          present: true,
          kid: '0123456789abcdef',
          state: 'seals',
          place: 'DATABRIDGE_KEY',
          values: { source: 12, former_configuration: 30, signing_key: 1 },
        },
      ],
    }),
);

const signingKeySchema = z
  .object({
    kid: z.string(),
    state: z.string().describe('`published` signs later, `signs` new tokens, `verifies` old ones only.'),
    signsFrom: z.string(),
    signsUntil: z.string().nullable(),
  })
  .meta({
    id: 'SigningKey',
    examples: [{ kid: 'Xq3fW2', state: 'signs', signsFrom: '2026-11-01T08:10:00Z', signsUntil: null }],
  });

const keysSchema = z
  .object({
    items: z.array(keySchema),
    left: z.int().describe('Values that a rotation would seal anew now, as far as this process has their key.'),
    rotating: z.boolean().describe('A rotation has begun and not ended; where none is under way, start it again.'),
  })
  .meta({ id: 'SealingKeys' });

/**
 * The routes of keys. Those of the keys that seal stored secrets are for admins of all organisations, because a key seals the secrets of all.
 *
 * The API seals with a key that its process was started with, and makes none. A new key has to be copied to a safe place before it
 * seals the only copy of a secret, and a client of the API may be on a computer that cannot reach the file; so `databridge key rotate`
 * on the host makes it. There is no route for `key lost`. It is for a bridge whose key is gone, and no process serves the API then: a
 * process that cannot open the secrets refuses to start, and all of them have to be stopped before. The secrets that
 * it throws away cannot be had back, so it stays with a person at the host.
 */
export function addKeyRoutes(app: FastifyInstance, parts: OperatorParts): void {
  addSigningKeyRoutes(app, parts);
  const { database, keys, log } = parts;
  const typed = app.withTypeProvider<ZodTypeProvider>();
  const streams = openStreamsOf(app, MOST_ROTATIONS);
  const config = { role: 'admin' } as const;
  const tags = ['Access'];
  typed.get(
    '/api/v1/sealing-keys',
    {
      config,
      schema: {
        operationId: 'listSealingKeys',
        summary: 'List the keys that seal stored secrets, what each sealed, and how much is left to seal anew',
        tags,
        response: { 200: keysSchema },
      },
    },
    async (request) => {
      assertSeesAll(operatorOf(request), 'The keys are those of all organisations');
      const used = await keyUse(database, keys);
      const row = await database.row<{ rotating: boolean }>(
        'select rotating_since is not null as rotating from sealing',
      );
      const items = used.map((use) => answered(keyUseDocument(use)));
      return { items, left: leftToReseal(used), rotating: row?.rotating ?? false };
    },
  );

  async function* rotation(actor: string, signal: AbortSignal): AsyncGenerator<string> {
    let told = 0;
    let known = { done: 0, of: 0 };
    const onProgress = (done: number, of: number): void => void (known = { done, of });
    const work = rotateSealingKey({ database, keys, place: undefined, actor, signal, onProgress });
    const ended = work.then(
      () => true,
      () => true,
    );
    try {
      while (!(await Promise.race([ended, sleep(PROGRESS_MS, false)]))) {
        if (known.done === told) continue;
        told = known.done;
        yield jsonLine({ progress: known });
      }
      const result = await work;
      yield jsonLine({ result: { ...result, notNeeded: await keysNotNeeded(database, keys) } });
    } catch (error) {
      yield errorLine(signal.aborted ? stopped() : error, log, 'a rotation of the sealing key failed');
    } finally {
      await ended;
    }
  }

  typed.post(
    '/api/v1/sealing-keys/rotate',
    {
      config: { ...config, needsProof: true },
      schema: {
        operationId: 'rotateSealingKey',
        summary: 'Seal everything with the new key that this process was started with, or end a rotation that stopped',
        description:
          'All processes have to have the new key; it waits 30 seconds for them. A client that leaves stops it, and the next request goes on. It makes no key: `databridge key rotate` replaces one that is a file.',
        tags,
        response: linesAnswer(
          'One JSON document a line: `progress`, then the `result`; `error` where it could not go on.',
        ),
      },
    },
    async (request, reply) => {
      const operator = operatorOf(request);
      assertSeesAll(operator, 'The keys are those of all organisations');
      await changing(() => assertKeyGiven({ database, keys }));
      return streams.answer(request, reply, 'application/x-ndjson', (signal) => rotation(actorOf(operator), signal));
    },
  );
}

const stopped = (): BridgeError =>
  new BridgeError({ code: 'cancelled' }, 'the rotation was stopped', { remedy: 'start it again, and it goes on' });

/** The routes of the keys that sign access tokens. They are for operators of all organisations, because a key signs the tokens of all. */
function addSigningKeyRoutes(app: FastifyInstance, { database, sealing, clock }: OperatorParts): void {
  const typed = app.withTypeProvider<ZodTypeProvider>();
  typed.get(
    '/api/v1/signing-keys',
    {
      config: { role: 'viewer' },
      schema: {
        operationId: 'listSigningKeys',
        summary: 'List the keys that sign access tokens',
        tags: ['Access'],
        response: { 200: z.object({ items: z.array(signingKeySchema) }) },
      },
    },
    async (request) => {
      assertSeesAll(operatorOf(request), 'The keys are those of all organisations');
      const now = clock.now();
      return { items: (await storedSigningKeys(database)).map((key) => signingKeyDocument(key, now)) };
    },
  );
  typed.post(
    '/api/v1/signing-keys/rotate',
    {
      config: { role: 'admin', needsProof: true },
      schema: {
        operationId: 'rotateSigningKey',
        summary: 'Let a new key sign access tokens',
        tags: ['Access'],
        querystring: z.object({ atOnce: flag.describe('Withdraw the other keys now, so their tokens end.') }),
        response: {
          200: z
            .object({
              kid: z.string(),
              signsFrom: z.string(),
              created: z.boolean().describe('False where an earlier rotation is under way; `kid` is its key.'),
            })
            .meta({ examples: [{ kid: 'Xq3fW2', signsFrom: '2026-11-22T10:10:00Z', created: true }] }),
        },
      },
    },
    async (request) => {
      const operator = operatorOf(request);
      assertSeesAll(operator, 'The keys are those of all organisations');
      const atOnce = request.query.atOnce === 'true';
      const { kid, signsFrom, created } = await rotateSigningKey(database, sealing, { atOnce }, actorOf(operator));
      return { kid, signsFrom: formatInstant(signsFrom), created };
    },
  );
}
