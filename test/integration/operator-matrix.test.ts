import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { revokeOperatorToken } from '../../src/access/operator-tokens.ts';
import { setOperatorDisabled } from '../../src/access/operators.ts';
import { OPERATOR_ROLES, includesRole } from '../../src/core/operator-role.ts';
import type { OperatorRole } from '../../src/core/operator-role.ts';
import { useDatabases } from '../kit/databases.ts';
import { startOperatorApi } from './operator-rig.ts';
import type { OperatorApiUnderTest, SignedIn } from './operator-rig.ts';

/** One request to a route. Each route of the server needs one; a new route without one fails below. */
interface Row {
  /** The least role that may use it. */
  readonly role: OperatorRole | 'public';
  /** Parameters of the path and query. `ORGANISATION` stands for the organisation that another operator owns. */
  readonly path?: string;
  readonly body?: unknown;
  /** The status for an operator of another organisation; undefined where the route is of no organisation. */
  readonly elsewhere?: number;
}

/** By method and path, as the server names them. */
const ROWS: Readonly<Record<string, Row>> = {
  'GET /api/v1/openapi.json': { role: 'public' },
  'GET /api/v1/me': { role: 'viewer' },
};

const databases = useDatabases();
let api: OperatorApiUnderTest;
const operators: Partial<Record<string, SignedIn>> = {};

beforeAll(async () => {
  api = await startOperatorApi(await databases.create());
  for (const role of OPERATOR_ROLES) operators[role] = await api.operator(role, role);
  for (const state of ['expired', 'revoked', 'disabled']) operators[state] = await api.operator(state, 'admin');
  operators['elsewhere'] = await api.operator('elsewhere', 'admin', ['elsewhere']);
  await api.database.run(`update operator_token set expires_at = now() where id = $1`, [operators['expired']?.tokenId]);
  await revokeOperatorToken(api.database, operators['revoked']?.tokenId ?? '', 'test');
  await setOperatorDisabled(api.database, 'disabled', true, 'test');
});

afterAll(async () => {
  await api?.close();
});

const send = (name: string, as: { readonly token: string } | undefined) => {
  const [method = '', path = ''] = name.split(' ');
  const row = ROWS[name];
  const sent = row?.path ?? path.replaceAll(/:\w+/g, 'ORGANISATION');
  return api.send(method, sent, { ...(as && { as }), ...(row?.body !== undefined && { body: row.body }) });
};

it('each route of the server has a row, and each row a route of its role', () => {
  const served = Object.fromEntries(api.routes.map(({ method, path, role }) => [`${method} ${path}`, role]));
  expect(served).toEqual(Object.fromEntries(Object.entries(ROWS).map(([name, { role }]) => [name, role])));
});

describe.each(Object.keys(ROWS))('%s', (name) => {
  const { role, elsewhere } = ROWS[name] as Row;

  it.runIf(role === 'public')('answers a request without a credential', async () => {
    expect((await send(name, undefined)).status).toBe(200);
  });

  it.runIf(role !== 'public').each([
    ['no credential', undefined],
    ['a token that was never made', { token: `dbo_${'A'.repeat(43)}` }],
    ['no token at all', { token: 'nonsense' }],
    ['expired', undefined],
    ['revoked', undefined],
    ['disabled', undefined],
  ])('refuses: %s', async (state, given) => {
    const answer = await send(name, given ?? operators[state]);
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toContain('Bearer');
    expect(answer.json).toMatchObject({ type: 'urn:databridge:problem:unauthenticated', errors: [] });
  });

  it.runIf(role !== 'public').each(OPERATOR_ROLES)('as %s', async (own) => {
    const { status } = await send(name, operators[own]);
    if (role !== 'public' && includesRole(own, role)) expect([401, 403]).not.toContain(status);
    else expect(status).toBe(403);
  });

  it.runIf(elsewhere !== undefined)('is as if it did not exist for operators of other organisations', async () => {
    expect((await send(name, operators['elsewhere'])).status).toBe(elsewhere);
  });
});
