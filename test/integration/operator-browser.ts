import { expect } from 'vitest';
import { setOperatorPassword } from '../../src/access/operator-passwords.ts';
import type { OperatorAnswer, OperatorApiUnderTest } from './operator-rig.ts';

/** A browser that signed in. */
export interface Browser {
  readonly cookie: string;
  readonly csrfToken: string;
  /** Sends a request as a page of the server does, to the server of the sign-in or to another one. */
  send(method: string, path: string, at?: OperatorApiUnderTest, body?: unknown): Promise<OperatorAnswer>;
}

export const PASSWORD = 'a horse on a staple';

/** The cookie that an answer sets, as a browser sends it back. */
export const cookieOf = (answer: OperatorAnswer): string =>
  /^[^;]*/.exec(answer.headers.get('set-cookie') ?? '')?.[0] ?? '';

/** The browser that got the answer of a sign-in. */
export function browserOf(api: OperatorApiUnderTest, signedIn: OperatorAnswer): Browser {
  const cookie = cookieOf(signedIn);
  const { csrfToken } = signedIn.json as { csrfToken: string };
  return {
    cookie,
    csrfToken,
    send: (method, path, at = api, body) =>
      at.send(method, path, {
        body,
        headers: { cookie, origin: at.url, 'sec-fetch-site': 'same-origin', 'x-csrf-token': csrfToken },
      }),
  };
}

export const tryPassword = (
  api: OperatorApiUnderTest,
  name: string,
  password: string,
  headers: Record<string, string> = {},
): Promise<OperatorAnswer> => api.send('POST', '/api/v1/session', { body: { name, password }, headers });

/** Creates a viewer with a password. */
export async function withPassword(api: OperatorApiUnderTest, name: string): Promise<void> {
  await api.operator(name, 'viewer');
  await setOperatorPassword(api.database, name, { password: PASSWORD, temporary: false }, 'test');
}

/** Signs in with the password. */
export async function signInAt(api: OperatorApiUnderTest, name: string): Promise<Browser> {
  const answer = await tryPassword(api, name, PASSWORD);
  expect(answer.status, answer.text).toBe(200);
  return browserOf(api, answer);
}
