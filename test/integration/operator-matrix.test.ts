import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { revokeOperatorToken } from '../../src/access/operator-tokens.ts';
import { setOperatorDisabled } from '../../src/access/operators.ts';
import { OPERATOR_ROLES, includesRole } from '../../src/core/operator-role.ts';
import { useDatabases } from '../kit/databases.ts';
import { storeSource } from '../kit/stored-source.ts';
import { startOperatorApi } from './operator-rig.ts';
import { ROWS } from './operator-rows.ts';
import type { Row } from './operator-rows.ts';
import type { OperatorAnswer, OperatorApiUnderTest, SignedIn } from './operator-rig.ts';

const databases = useDatabases();
let api: OperatorApiUnderTest;
const operators: Partial<Record<string, SignedIn>> = {};

beforeAll(async () => {
  api = await startOperatorApi(await databases.create(), {
    DATABRIDGE_OPERATOR_TRUST_PROXY: '127.0.0.1',
    DATABRIDGE_OPERATOR_URL: 'http://127.0.0.1:1',
    DATABRIDGE_OIDC_ISSUER: 'http://127.0.0.1:1',
    DATABRIDGE_OIDC_CLIENT_ID: 'bridge',
  });
  const { sourceId } = await storeSource(api.database);
  await api.database.run(
    `insert into backfill (source_id, from_at, to_at, what, requested_by) values ($1, 'epoch', now(), 'missing', 'test')`,
    [sourceId],
  );
  await api.database.run(
    `insert into alert (kind, organisation, subject, severity, what, remedy, opened_at) values ('failing', 'default', 's', 'warning', 'w', 'r', now())`,
  );
  await api.database.run(
    `insert into application (id, organisation_id, name, secret_hash) values ('app_0123456789abcdef0123', 'default', 'app', '')`,
  );
  for (const role of OPERATOR_ROLES) operators[role] = await api.operator(role, role);
  for (const state of ['expired', 'revoked', 'disabled']) operators[state] = await api.operator(state, 'admin');
  await api.operator('changed', 'viewer');
  operators['elsewhere'] = await api.operator('elsewhere', 'admin', ['elsewhere']);
  await api.database.run(`update operator_token set expires_at = now() where id = $1`, [operators['expired']?.tokenId]);
  await revokeOperatorToken(api.database, operators['revoked']?.tokenId ?? '', 'test');
  await setOperatorDisabled(api.database, 'disabled', true, 'test');
});

afterAll(async () => {
  await api?.close();
});

let requests = 0;

const send = async (name: string, as: { readonly token: string } | undefined): Promise<OperatorAnswer> => {
  const [method = '', path = ''] = name.split(' ');
  const row = ROWS[name];
  const sent = row?.path ?? path.replaceAll(/:\w+/g, 'ORGANISATION');
  const { body } = row ?? {};
  // Each request comes from an address of its own, because the failures of an address are limited.
  requests += 1;
  const headers = { ...row?.headers, 'x-forwarded-for': `10.0.${requests >> 8}.${requests & 255}` };
  if (row?.streams) {
    const answer = await fetch(`${api.url}${sent}`, {
      method,
      headers: { ...headers, ...(as && { authorization: `Bearer ${as.token}` }) },
    });
    if (answer.status === 200) {
      await answer.body?.cancel();
      return { status: 200, headers: answer.headers, text: '', json: undefined };
    }
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, text, json: JSON.parse(text) as unknown };
  }
  return await api.send(method, sent, { headers, ...(as && { as }), ...(body !== undefined && { body }) });
};

it('each route of the server has a row, and each row a route of its role', () => {
  const served = Object.fromEntries(api.routes.map(({ method, path, role }) => [`${method} ${path}`, role]));
  expect(served).toEqual(Object.fromEntries(Object.entries(ROWS).map(([name, { role }]) => [name, role])));
});

const names = Object.keys(ROWS);
const rowOf = (name: string): Row => ROWS[name] as Row;

describe.each(names.filter((name) => rowOf(name).role === 'public'))('%s', (name) => {
  it('answers a request without a credential', async () => {
    expect((await send(name, undefined)).status).toBe(rowOf(name).status ?? 200);
  });
});

describe.each(names.filter((name) => rowOf(name).role !== 'public'))('%s', (name) => {
  it.each([
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

  it.each(OPERATOR_ROLES)('as %s', async (own) => {
    const { status } = await send(name, operators[own]);
    const { role } = rowOf(name);
    if (role !== 'public' && includesRole(own, role)) expect([401, 403]).not.toContain(status);
    else expect(status).toBe(403);
  });
});

describe.each(names.filter((name) => rowOf(name).elsewhere !== undefined))('%s', (name) => {
  it('is as if it did not exist for operators of other organisations', async () => {
    expect((await send(name, operators['elsewhere'])).status).toBe(rowOf(name).elsewhere);
  });
});
