/** The operator that signed in. */
import { useEffect, useState } from 'preact/hooks';
import { forgetAnswers } from './answers.ts';
import { ask, credentials, waitAfter } from './api.ts';
import type { Refusal } from './api.ts';
import { followEvents } from './events.ts';
import type { Operator, Session } from './operations.ts';

/** `unknown` before the bridge has answered; `ended`: it was signed in, so its page stays behind the sign-in. */
export type SignIn =
  | { readonly state: 'unknown'; readonly refusal?: Refusal }
  | { readonly state: 'out' | 'ended' }
  | {
      readonly state: 'in';
      readonly operator: Operator;
      readonly endsAt: string;
      readonly mustChangePassword: boolean;
      readonly mayChoosePassword: boolean;
    };

let present: SignIn = { state: 'unknown' };
let lastOperator: string | undefined;
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
export function enter({ operator, csrfToken, endsAt, mustChangePassword, mayChoosePassword }: Session): void {
  credentials.csrfToken = csrfToken;
  if (lastOperator !== undefined && lastOperator !== operator.name) location.reload();
  lastOperator = operator.name;
  become({ state: 'in', operator, endsAt, mustChangePassword, mayChoosePassword });
  begun.postMessage(null);
  following?.abort();
  if (mustChangePassword) return;
  following = new AbortController();
  void followEvents(following.signal);
  forgetAnswers();
}

/** Tells the other tabs of the browser that a session has begun: they share its cookie. */
const begun = new BroadcastChannel('databridge-session');
begun.addEventListener('message', () => {
  if (present.state === 'in') void credentials.renew();
});

credentials.renew = async () => {
  const former = credentials.csrfToken;
  const session = await ask('getSession', {}, { unattended: true }).catch(() => undefined);
  if (session === undefined || session.csrfToken === former) return false;
  // Another operator signed in: this page is not for it.
  if (session.operator.name !== lastOperator) {
    location.reload();
    return false;
  }
  credentials.csrfToken = session.csrfToken;
  return true;
};

credentials.ended = () => {
  following?.abort();
  if (present.state === 'in') become({ state: 'ended' });
  else if (present.state === 'unknown') become({ state: 'out' });
};

/** Another address in the place of the present one, which stays in no history. */
function place(hash: string): void {
  history.replaceState(null, '', hash);
  window.dispatchEvent(new HashChangeEvent('hashchange'));
}

let nextLook: ReturnType<typeof setTimeout> | undefined;

/** Looks whether the browser has a session, or comes with a link that begins one; where the bridge is away, until it is back. */
export async function findSession(): Promise<void> {
  const [, token] = /^#\/link\/([\w-]+)/.exec(location.hash) ?? [];
  // A link is spent once, and its token stays in no history.
  if (token !== undefined) place('#/');
  try {
    enter(await (token === undefined ? ask('getSession', {}) : ask('signInByLink', { body: { token } })));
  } catch (error) {
    const refusal = error as Refusal;
    if (token !== undefined && refusal.code === 'sign-in-refused') {
      place('#/?refused=link');
      // Whoever is signed in here stays so.
      if (present.state === 'unknown') become({ state: 'out' });
    } else if (token !== undefined) {
      // It may be taken yet.
      history.replaceState(null, '', `#/link/${token}`);
      if (present.state !== 'in') become({ state: 'unknown', refusal });
    } else if (present.state === 'unknown')
      become(refusal.status === 401 ? { state: 'out' } : { state: 'unknown', refusal });
    const wait = waitAfter(refusal);
    clearTimeout(nextLook);
    if (wait !== undefined) nextLook = setTimeout(() => present.state === 'unknown' && void findSession(), wait);
  }
}

// A link that is pasted into an open console changes its address only.
window.addEventListener('hashchange', () => {
  if (location.hash.startsWith('#/link/')) void findSession();
});

export async function leave(): Promise<void> {
  await ask('signOut', {}).catch(() => undefined);
  location.hash = '';
  location.reload();
}
