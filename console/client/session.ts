/** The operator that signed in. */
import { useEffect, useState } from 'preact/hooks';
import { forgetAnswers } from './answers.ts';
import { ask, askAt, credentials } from './api.ts';
import { followEvents } from './events.ts';
import type { Operator, Session } from './operations.ts';

/** `unknown` before the bridge has answered; `ended`: it was signed in, so its page stays behind the sign-in. */
export type SignIn =
  | { readonly state: 'unknown' | 'out' | 'ended' }
  | {
      readonly state: 'in';
      readonly operator: Operator;
      readonly endsAt: string;
      readonly mustChangePassword: boolean;
    };

let present: SignIn = { state: 'unknown' };
let lastOperator: string | undefined;
let isByLink = false;

/** Whether a link began the session, so that a first password needs none before it. */
export const cameByLink = (): boolean => isByLink;
let following: AbortController | undefined;
const watchers = new Set<() => void>();

function become(next: SignIn): void {
  present = next;
  for (const act of watchers) act();
}

/** The sign-in as it is, followed by the component. */
export function useSignIn(): SignIn {
  const [shown, show] = useState(present);
  useEffect(() => {
    const act = (): void => show(present);
    watchers.add(act);
    act();
    return () => void watchers.delete(act);
  }, []);
  return shown;
}

/** The role of the operator decides in the API; pages only hide what it would refuse. */
export function useRole(): { readonly mayChange: boolean; readonly mayAdminister: boolean; readonly name: string } {
  const signIn = useSignIn();
  const role = signIn.state === 'in' ? signIn.operator.role : 'viewer';
  return {
    mayChange: role !== 'viewer',
    mayAdminister: role === 'admin',
    name: signIn.state === 'in' ? signIn.operator.name : '',
  };
}

/** Takes a session that has begun. */
export function enter({ operator, csrfToken, endsAt, mustChangePassword }: Session): void {
  credentials.csrfToken = csrfToken;
  if (lastOperator !== undefined && lastOperator !== operator.name) location.reload();
  lastOperator = operator.name;
  become({ state: 'in', operator, endsAt, mustChangePassword });
  following?.abort();
  if (mustChangePassword) return;
  following = new AbortController();
  void followEvents(following.signal);
  forgetAnswers();
}

credentials.ended = () => {
  following?.abort();
  if (present.state === 'in') become({ state: 'ended' });
  else if (present.state === 'unknown') become({ state: 'out' });
};

/** Looks whether the browser has a session, or comes with a link that begins one. */
export async function findSession(): Promise<void> {
  const [, token] = /^#\/link\/([\w-]+)/.exec(location.hash) ?? [];
  // A link is spent once, and its token stays in no history.
  if (token !== undefined) history.replaceState(null, '', '#/');
  try {
    if (token !== undefined) {
      const session = (await askAt('POST /sign-in/link', { token })) as Session;
      isByLink = true;
      enter(session);
      return;
    }
    enter(await ask('getSession', {}));
  } catch {
    if (token !== undefined) history.replaceState(null, '', '#/?refused=link');
    if (present.state === 'unknown') become({ state: 'out' });
  }
}

export async function leave(): Promise<void> {
  await ask('signOut', {}).catch(() => undefined);
  location.hash = '';
  location.reload();
}
