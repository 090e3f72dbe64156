import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import {
  createOperatorToken,
  listOperatorTokens,
  operatorTokenDocument,
  revokeOperatorToken,
} from '../access/operator-tokens.ts';
import {
  actorOf,
  createOperator,
  endSessionOf,
  listOperators,
  operatorAccountDocument,
  setOperatorDisabled,
  setOperatorOrganisations,
  setOperatorRole,
  signOutOperators,
} from '../access/operators.ts';
import type { OperatorAccount } from '../access/operators.ts';
import { assertSeesAll, operatorOf } from './authenticate.ts';
import { answered } from './documents.ts';
import { EXAMPLE, TOKEN, accountSchema, organisations, role, tokenFields, tokenSchema } from './operator-shapes.ts';
import { changing, pageIn, pageQuery, pageSchemaOf } from './route-shapes.ts';
import type { OperatorParts } from './parts.ts';
import { noSuch } from './problem.ts';
import { listedSchema, listedSessions } from './sessions.ts';

const OPERATOR = '/api/v1/operators/:name';

const nameParams = z.object({ name: z.string().max(100) });
const idParams = nameParams.extend({ id: z.string().max(100) });
const changed = z
  .object({ name: z.string(), changed: z.boolean().describe('False where it was so already.') })
  .meta({ id: 'OperatorChanged', examples: [{ name: 'anna', changed: true }] });

const schemaOf = (operationId: string, summary: string) => ({ operationId, summary, tags: ['Operators'] });

/** The routes of operators, their tokens and sessions, for admins of all organisations, as `databridge operator` has them. */
export function addOperatorRoutes(app: FastifyInstance, { database }: OperatorParts): void {
  const typed = app.withTypeProvider<ZodTypeProvider>();
  const config = { role: 'admin' } as const;
  const proved = { ...config, needsProof: true } as const;
  /** The actor of a request. Throws 403 where it sees some organisations only. */
  const adminOf = (request: FastifyRequest): string => {
    const operator = operatorOf(request);
    assertSeesAll(operator, 'Operators may see all organisations');
    return actorOf(operator);
  };
  /** The operator of a path. Throws 404 where there is none. */
  const found = async (request: FastifyRequest): Promise<OperatorAccount> => {
    const { name } = request.params as z.infer<typeof nameParams>;
    const account = (await listOperators(database)).find((one) => one.name === name);
    if (account === undefined) throw noSuch(`operator ${name}`);
    return account;
  };
  typed.get(
    '/api/v1/operators',
    {
      config,
      schema: {
        ...schemaOf('listOperators', 'List operators by name'),
        querystring: pageQuery,
        response: { 200: pageSchemaOf(accountSchema) },
      },
    },
    async (request) => {
      adminOf(request);
      const { items, next } = pageIn(await listOperators(database), request.query, ({ name }) => name);
      return { items: items.map((one) => answered(operatorAccountDocument(one))), next };
    },
  );
  typed.post(
    '/api/v1/operators',
    {
      config: { ...config, needsProof: true, idempotent: true },
      schema: {
        ...schemaOf('createOperator', 'Create an operator that has no way to sign in yet'),
        description: 'Invite it with `createOperatorLink`, or give it a token with `createOperatorToken`.',
        body: z
          .strictObject({ name: z.string().max(200), role, organisations: organisations.default(null) })
          .meta({ examples: [EXAMPLE] }),
        response: { 201: accountSchema },
      },
    },
    async (request, reply) => {
      const actor = adminOf(request);
      const { organisations: its, ...given } = request.body;
      await createOperator(database, { ...given, organisations: its ?? undefined }, actor);
      const account = (await listOperators(database)).find(({ name }) => name === given.name) as OperatorAccount;
      return await reply
        .code(201)
        .header('location', `/api/v1/operators/${encodeURIComponent(account.name)}`)
        .send(answered(operatorAccountDocument(account)));
    },
  );
  typed.get(
    OPERATOR,
    {
      config,
      schema: { ...schemaOf('getOperator', 'Show an operator'), params: nameParams, response: { 200: accountSchema } },
    },
    async (request) => {
      adminOf(request);
      return answered(operatorAccountDocument(await found(request)));
    },
  );
  typed.put(
    `${OPERATOR}/role`,
    {
      config: proved,
      schema: {
        ...schemaOf('setOperatorRole', 'Give an operator a role, and end its sessions'),
        params: nameParams,
        body: z.strictObject({ role }).meta({ examples: [{ role: 'viewer' }] }),
        response: { 200: changed },
      },
    },
    async (request) => {
      const actor = adminOf(request);
      const { name } = await found(request);
      return { name, changed: await changing(() => setOperatorRole(database, name, request.body.role, actor)) };
    },
  );
  typed.put(
    `${OPERATOR}/organisations`,
    {
      config: proved,
      schema: {
        ...schemaOf('setOperatorOrganisations', 'Say which organisations an operator sees, and end its sessions'),
        params: nameParams,
        body: z.strictObject({ organisations }).meta({ examples: [{ organisations: ['default'] }] }),
        response: { 200: changed },
      },
    },
    async (request) => {
      const actor = adminOf(request);
      const { name } = await found(request);
      const seen = request.body.organisations ?? undefined;
      return { name, changed: await changing(() => setOperatorOrganisations(database, name, seen, actor)) };
    },
  );
  for (const [verb, disabled, summary] of [
    ['disable', true, 'Let an operator sign in no more; its sessions and tokens end for good'],
    ['enable', false, 'Let a disabled operator sign in again'],
  ] as const) {
    typed.post(
      `${OPERATOR}/${verb}`,
      {
        config: proved,
        schema: { ...schemaOf(`${verb}Operator`, summary), params: nameParams, response: { 200: changed } },
      },
      async (request) => {
        const actor = adminOf(request);
        const { name } = await found(request);
        return { name, changed: await changing(() => setOperatorDisabled(database, name, disabled, actor)) };
      },
    );
  }
  typed.post(
    `${OPERATOR}/sign-out`,
    {
      config,
      schema: {
        ...schemaOf('signOutOperator', 'End all sessions of an operator'),
        params: nameParams,
        response: {
          200: z
            .object({ name: z.string(), sessions: z.int().describe('Those that ended.') })
            .meta({ examples: [{ name: 'anna', sessions: 2 }] }),
        },
      },
    },
    async (request) => {
      const actor = adminOf(request);
      const { name } = await found(request);
      return { name, sessions: await changing(() => signOutOperators(database, name, actor)) };
    },
  );
  typed.get(
    `${OPERATOR}/sessions`,
    {
      config,
      schema: {
        ...schemaOf('listOperatorSessions', 'The sessions of an operator, the newest first'),
        params: nameParams,
        response: { 200: z.object({ sessions: z.array(listedSchema) }) },
      },
    },
    async (request) => {
      adminOf(request);
      return { sessions: await listedSessions(database, (await found(request)).id, request) };
    },
  );
  typed.delete(
    `${OPERATOR}/sessions/:id`,
    {
      config,
      schema: {
        ...schemaOf('endOperatorSession', 'End a session of an operator'),
        params: idParams,
        response: { 204: z.null() },
      },
    },
    async (request, reply) => {
      const actor = adminOf(request);
      const { name } = await found(request);
      if (!(await endSessionOf(database, name, request.params.id, actor))) throw noSuch(`such session of ${name}`);
      return await reply.code(204).send(null);
    },
  );
  typed.get(
    `${OPERATOR}/tokens`,
    {
      config,
      schema: {
        ...schemaOf('listOperatorTokens', 'The personal tokens of an operator, the newest first'),
        params: nameParams,
        querystring: pageQuery,
        response: { 200: pageSchemaOf(tokenSchema) },
      },
    },
    async (request) => {
      adminOf(request);
      const tokens = await listOperatorTokens(database, (await found(request)).name);
      const { items, next } = pageIn(tokens, request.query, ({ id }) => id);
      return { items: items.map((token) => answered(operatorTokenDocument(token))), next };
    },
  );
  typed.post(
    `${OPERATOR}/tokens`,
    {
      config: { ...proved, idempotent: { made: 'id', remedy: 'Revoke it, and create another one.' } },
      schema: {
        ...schemaOf('createOperatorToken', 'Create a personal token; the answer is the only place that holds it'),
        params: nameParams,
        body: z
          .strictObject({ name: z.string().max(200), days: z.int().min(1).max(365).default(90) })
          .meta({ examples: [{ name: TOKEN.name, days: 90 }] }),
        response: {
          201: z
            .object({ ...tokenFields, token: z.string() })
            .meta({ id: 'NewOperatorToken', examples: [{ ...TOKEN, token: 'shown-here-once' }] }),
        },
      },
    },
    async (request, reply) => {
      const actor = adminOf(request);
      const { name: operator } = await found(request);
      const created = await changing(() => createOperatorToken(database, { operator, ...request.body }, actor));
      const { token, ...rest } = created;
      return await reply.code(201).send({ ...answered(operatorTokenDocument(rest)), token });
    },
  );
  typed.delete(
    `${OPERATOR}/tokens/:id`,
    {
      config: proved,
      schema: {
        ...schemaOf('revokeOperatorToken', 'Revoke a personal token from the next request on'),
        params: idParams,
        response: {
          200: z
            .object({ id: z.string(), revoked: z.boolean().describe('False where it was revoked before.') })
            .meta({ examples: [{ id: TOKEN.id, revoked: true }] }),
        },
      },
    },
    async (request) => {
      const actor = adminOf(request);
      const { name: operator } = await found(request);
      const { id } = request.params;
      const known = await listOperatorTokens(database, operator);
      if (!known.some((token) => token.id === id)) throw noSuch(`such token of ${operator}`);
      return { id, revoked: await revokeOperatorToken(database, id, actor, { operator }) };
    },
  );
}
