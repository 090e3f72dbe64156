import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOperatorLink } from '../../src/access/operator-links.ts';
import { setOperatorPassword } from '../../src/access/operator-passwords.ts';
import { createOperator } from '../../src/access/operators.ts';
import { tidyAccess } from '../../src/access/tidy.ts';
import { useDatabases } from '../kit/databases.ts';
import { PASSWORD, browserOf, signInAt } from './operator-browser.ts';
import type { Browser } from './operator-browser.ts';
import { startOperatorApi } from './operator-rig.ts';
import type { OperatorAnswer, OperatorApiUnderTest, SignedIn } from './operator-rig.ts';

const databases = useDatabases();
let api: OperatorApiUnderTest;
let admin: SignedIn;
let browser: Browser;

beforeAll(async () => {
  api = await startOperatorApi(await databases.create());
  admin = await api.operator('admin', 'admin');
  await api.operator('other', 'viewer');
  await setOperatorPassword(api.database, 'admin', { password: PASSWORD, temporary: false }, 'test');
  browser = await signInAt(api, 'admin');
});

afterAll(async () => {
  await api?.close();
});

const problem = (name: string) => ({ type: `urn:databridge:problem:${name}` });

const age = (): Promise<number> =>
  api.database.run(`update operator_session set proved_at = now() - interval '10 minutes 1 second'`);

describe('a session whose operator signed in more than ten minutes ago', () => {
  it('changes no access on any route that declares it, until the password is given again', async () => {
    const { paths } = (await api.send('GET', '/api/v1/openapi.json')).json as {
      paths: Record<string, Record<string, { operationId?: string; 'x-databridge-needs-proof'?: true }>>;
    };
    const declared = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, operation]) =>
        operation['x-databridge-needs-proof'] === true ? [{ method: method.toUpperCase(), path, operation }] : [],
      ),
    );
    expect(declared.map(({ operation }) => operation.operationId ?? '').toSorted()).toEqual([
      'createApplication',
      'createOperator',
      'createOperatorLink',
      'createOperatorToken',
      'disableOperator',
      'enableOperator',
      'pushIngestion',
      'removeSource',
      'revokeApplication',
      'revokeOperatorToken',
      'rotateApplication',
      'rotateSealingKey',
      'rotateSigningKey',
      'setOperatorOrganisations',
      'setOperatorRole',
      'storeIngestion',
    ]);
    await age();
    for (const { method, path } of declared) {
      const answer = await browser.send(method, path.replaceAll(/\{\w+\}/g, 'none'));
      expect(answer.json, path).toMatchObject({ status: 403, ...problem('confirmation-needed') });
    }
    expect((await browser.send('GET', '/api/v1/operators')).status).toBe(200);
    const change = (): Promise<OperatorAnswer> =>
      browser.send('PUT', '/api/v1/operators/other/role', api, { role: 'operator' });
    const byToken = await api.send('PUT', '/api/v1/operators/other/role', { as: admin, body: { role: 'viewer' } });
    expect(byToken.status).toBe(200);
    const confirm = (password: string) => browser.send('POST', '/api/v1/me/confirm', api, { password });
    expect((await confirm('another')).json).toMatchObject(problem('wrong-password'));
    expect((await change()).status).toBe(403);
    expect((await confirm(PASSWORD)).status).toBe(204);
    expect((await change()).json).toEqual({ name: 'other', changed: true });
    expect((await api.send('POST', '/api/v1/me/confirm', { as: admin, body: { password: PASSWORD } })).status).toBe(
      409,
    );
  });

  it('tries passwords within the limit of sign-in', async () => {
    await api.operator('hasty', 'viewer');
    await setOperatorPassword(api.database, 'hasty', { password: PASSWORD, temporary: false }, 'test');
    const hasty = await signInAt(api, 'hasty');
    let answer = await hasty.send('POST', '/api/v1/me/confirm', api, { password: 'wrong' });
    let tries = 1;
    for (; answer.status === 403; tries += 1) {
      answer = await hasty.send('POST', '/api/v1/me/confirm', api, { password: 'wrong' });
    }
    expect(answer.status).toBe(429);
    expect(tries).toBeLessThanOrEqual(21);
    expect((await api.send('POST', '/api/v1/session', { body: { name: 'hasty', password: PASSWORD } })).status).toBe(
      429,
    );
  });
});

describe('a link', () => {
  const use = (token: unknown): Promise<OperatorAnswer> =>
    api.send('POST', '/api/v1/sign-in/link', { body: { token } });
  const made = async (name: string, invite = false): Promise<{ token: string; path: string }> => {
    const answer = await api.send('POST', `/api/v1/operators/${name}/link`, { as: admin, body: { invite } });
    expect(answer.status, answer.text).toBe(201);
    return answer.json as { token: string; path: string };
  };

  it('invites an operator, who chooses a password with it and needs to know none', async () => {
    await createOperator(api.database, { name: 'new', role: 'viewer' }, 'test');
    const { token, path } = await made('new', true);
    expect(path).toBe(`/#/link/${token}`);
    const answers = await Promise.all([use(token), use(token)]);
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 403]);
    const entered = answers.find(({ status }) => status === 200) as OperatorAnswer;
    expect(entered.json).toMatchObject({
      operator: { name: 'new' },
      mustChangePassword: true,
      mayChoosePassword: true,
    });
    const page = browserOf(api, entered);
    expect((await page.send('GET', '/api/v1/sources')).json).toMatchObject(problem('password-change-needed'));
    const chosen = await page.send('PUT', '/api/v1/password', api, { password: PASSWORD });
    expect(chosen.json).toMatchObject({ mustChangePassword: false, mayChoosePassword: false });
    const settled = browserOf(api, chosen);
    expect((await settled.send('PUT', '/api/v1/password', api, { password: `${PASSWORD} x` })).status).toBe(400);
    const late = await api.send('POST', '/api/v1/operators/new/link', { as: admin, body: { invite: true } });
    expect(late.status).toBe(400);
    // One who has chosen a password signs in by a link and does not change it by that.
    const back = browserOf(api, await use((await made('new')).token));
    expect((await back.send('GET', '/api/v1/sources')).status).toBe(200);
    expect((await back.send('PUT', '/api/v1/password', api, { password: `${PASSWORD} x` })).status).toBe(400);
  });

  it('is taken for 15 minutes, an invite for three days, and ends with its successor, a sign-out and disabling', async () => {
    await createOperator(api.database, { name: 'eva', role: 'viewer' }, 'test');
    const seconds = async (): Promise<number> =>
      (
        await api.database.row<{ s: number }>(
          `select extract(epoch from expires_at - now())::int as s from operator_link join operator_account on id = operator_id where name = 'eva'`,
        )
      )?.s ?? 0;
    const first = await made('eva', true);
    expect(Math.abs((await seconds()) - 3 * 86_400)).toBeLessThan(60);
    const second = await made('eva');
    expect(Math.abs((await seconds()) - 900)).toBeLessThan(60);
    expect((await use(first.token)).status).toBe(403);
    await api.database.run(`update operator_link set expires_at = now()`);
    expect((await use(second.token)).json).toMatchObject({ status: 403, ...problem('sign-in-refused') });
    await tidyAccess(api.database);
    expect(await api.database.row('select from operator_link')).toBeUndefined();
    const third = await made('eva');
    await api.send('POST', '/api/v1/operators/eva/sign-out', { as: admin });
    expect((await use(third.token)).status).toBe(403);
    const fourth = await made('eva');
    await api.send('POST', '/api/v1/operators/eva/disable', { as: admin });
    expect((await use(fourth.token)).status).toBe(403);
    await expect(createOperatorLink(api.database, { name: 'eva', kind: 'sign-in' }, 'test')).rejects.toThrow(
      'disabled',
    );
    expect(api.log()).not.toContain(third.token);
  });
});

describe('an Idempotency-Key', () => {
  const create = (path: string, body: unknown, key: string, as = admin): Promise<OperatorAnswer> =>
    api.send('POST', path, { as, body, headers: { 'idempotency-key': key } });

  it('answers again as before, refuses another request, and is of one operator', async () => {
    const first = await create('/api/v1/projects', { code: 'hall' }, '"k-1"');
    expect(first.status, first.text).toBeLessThan(300);
    const again = await create('/api/v1/projects', { code: 'hall' }, 'k-1');
    expect([again.status, again.json]).toEqual([first.status, first.json]);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect((await create('/api/v1/projects', { code: 'other' }, 'k-1')).json).toMatchObject(problem('key-reused'));
    expect((await create('/api/v1/organisations', { id: 'hall' }, 'k-1')).status).toBe(422);
    const another = await api.operator('another', 'admin');
    expect(
      (await create('/api/v1/projects', { code: 'other' }, 'k-1', another)).headers.get('idempotency-replayed'),
    ).toBeNull();
    expect((await create('/api/v1/projects', { code: 'x' }, 'a key')).status).toBe(400);
  });

  it('is taken by each request that makes something', async () => {
    const { json } = await api.send('GET', '/api/v1/openapi.json');
    const { paths } = json as { paths: Record<string, { post?: { responses: Record<string, unknown> } }> };
    const makes = Object.entries(paths).filter(([, { post }]) => post?.responses['201'] !== undefined);
    expect(makes.length).toBeGreaterThan(3);
    expect(makes.filter(([, { post }]) => post?.responses['422'] === undefined).map(([path]) => path)).toEqual([]);
  });

  it('makes one thing of several requests at once, and keeps no secret', async () => {
    const body = { name: 'gateway' };
    const answers = await Promise.all([1, 2, 3].map(() => create('/api/v1/applications', body, 'k-2')));
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([201, 409, 409]);
    const done = answers.find(({ status }) => status === 201) as OperatorAnswer;
    const { secret, applicationId } = done.json as Record<string, string>;
    expect((await create('/api/v1/applications', body, 'k-2')).json).toMatchObject({
      status: 409,
      detail: expect.stringContaining(applicationId ?? '?') as string,
      remedy: expect.stringContaining('rotateApplication') as string,
    });
    const kept = JSON.stringify(await api.database.rows('select * from idempotent_request'));
    expect(kept).not.toContain(secret);
    expect((await api.database.rows(`select from application where name = 'gateway'`)).length).toBe(1);
  });

  it('is free after a refusal and after a day, not after an end that is not known, and is cleaned up', async () => {
    expect((await create('/api/v1/operators/none/tokens', { name: 'a' }, 'k-3')).status).toBe(404);
    await createOperator(api.database, { name: 'none', role: 'viewer' }, 'test');
    expect((await create('/api/v1/operators/none/tokens', { name: 'a' }, 'k-3')).status).toBe(201);
    await api.database.run('update idempotent_request set status = null');
    expect((await create('/api/v1/operators/none/tokens', { name: 'a' }, 'k-3')).status).toBe(409);
    await api.database.run(`update idempotent_request set at = now() - interval '25 hours'`);
    expect((await create('/api/v1/operators/none/tokens', { name: 'a' }, 'k-3')).status).toBe(201);
    await tidyAccess(api.database);
    expect((await api.database.rows('select from idempotent_request')).length).toBe(1);
  });

  it('is refused beyond 2,000 in a day', async () => {
    await api.database.run(
      `insert into idempotent_request (operator_id, key, request) select $1, 'n' || n, '' from generate_series(1, 2000) n`,
      [admin.id],
    );
    expect((await create('/api/v1/projects', { code: 'y' }, 'k-4')).status).toBe(429);
    // One that was sent before is answered all the same, and yesterday's do not count.
    expect((await create('/api/v1/projects', { code: 'y' }, 'k-5')).status).toBe(429);
    await api.database.run(`update idempotent_request set at = now() - interval '25 hours' where key in ('n7', 'n8')`);
    const made = await create('/api/v1/projects', { code: 'y' }, 'k-5');
    expect(made.status, made.text).toBe(200);
    expect((await create('/api/v1/projects', { code: 'y' }, 'k-5')).json).toEqual(made.json);
    // Nobody is answered with what another role saw.
    await api.database.run(`update operator_account set organisations = '{default}' where id = $1`, [admin.id]);
    expect((await create('/api/v1/projects', { code: 'y' }, 'k-5')).status).toBe(422);
  });
});
