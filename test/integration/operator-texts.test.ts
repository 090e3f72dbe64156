import { afterAll, beforeAll, expect, it } from 'vitest';
import { useDatabases } from '../kit/databases.ts';
import { startOperatorApi } from './operator-rig.ts';
import type { OperatorApiUnderTest, SignedIn } from './operator-rig.ts';

// PostgreSQL stores neither NUL nor half a surrogate pair. A text with one of them is refused wherever it stands in a request.

const databases = useDatabases();
let api: OperatorApiUnderTest;
let anna: SignedIn;

beforeAll(async () => {
  api = await startOperatorApi(await databases.create());
  anna = await api.operator('anna', 'operator');
});

afterAll(async () => {
  await api?.close();
});

it.each([
  ['/sources/default/a%00b', '/name'],
  ['/sources/%00/hall-1/why', '/organisation'],
  ['/sources?text=%00', '/text'],
])('a path or query with NUL is refused: %s', async (path, pointer) => {
  const answer = await api.send('GET', `/api/v1${path}`, { as: anna });
  expect(answer).toMatchObject({ status: 400, json: { errors: [{ pointer }] } });
});

it('a body with half a surrogate pair is refused', async () => {
  const answer = await api.send('POST', '/api/v1/projects', { as: anna, body: { code: 'mill', name: 'x\ud800' } });
  expect(answer).toMatchObject({ status: 400, json: { errors: [{ pointer: '/name' }] } });
});

it.each([
  ['an escape for NUL', 'name: "a\\0"\n', 'line 1, column 7: this text holds NUL'],
  ['an escape for half a surrogate pair', 'a: {b: "\\ud800"}\n', 'line 1, column 8: this text holds NUL'],
  [
    'an alias inside its own anchor',
    'project: &a [*a]\n',
    'line 1, column 14: this alias stands inside its own anchor',
  ],
  ['a name that is no text', 'name: {toString: 1}\n', 'line 1, column 1: '],
])('a source with %s is refused at its place', async (_, body, detail) => {
  const answer = await api.send('POST', '/api/v1/sources/apply', { as: anna, body });
  expect(answer.status).toBe(400);
  const { errors } = answer.json as { errors: readonly { detail: string }[] };
  expect(errors.map((one) => one.detail)).toContainEqual(expect.stringContaining(detail));
});
