import { CircleQuestionMark } from 'lucide';
import type { ComponentChild, ComponentChildren, ComponentType } from 'preact';
import { useEffect, useErrorBoundary, useState } from 'preact/hooks';
import { Refusal } from '../client/api.ts';
import { routeOf, useRoute } from '../client/route.ts';
import { findSession, useSignIn } from '../client/session.ts';
import { useZone } from '../client/zone.ts';
import { Card, Empty, Skeleton, Trouble } from '../parts/page.tsx';
import { StripPatterns } from '../parts/strip.tsx';
import { Toasts } from '../parts/toast.tsx';
import { Confirm } from '../sign-in/confirm.tsx';
import { NewPassword } from '../sign-in/new-password.tsx';
import { SignInAgain, SignInPage } from '../sign-in/sign-in.tsx';
import { texts } from '../texts.ts';
import { loaderOf } from './pages.ts';
import { Shell } from './shell.tsx';
import { SideBar } from './side-bar.tsx';

/** The console: the sign-in, or the side bar and a page. A page whose session ends stays behind the sign-in. */
export function App(): ComponentChild {
  const signIn = useSignIn();
  const zone = useZone();
  const { path } = useRoute();
  if (signIn.state === 'unknown') {
    return signIn.refusal ? <Trouble refusal={signIn.refusal} again={() => void findSession()} /> : <Shell />;
  }
  if (signIn.state === 'out') return <SignInPage />;
  if (signIn.state === 'in' && signIn.mustChangePassword) return <NewPassword name={signIn.operator.name} />;
  return (
    <>
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          document.querySelector<HTMLElement>('#main')?.focus();
        }}
      >
        {texts.skip}
      </a>
      <StripPatterns />
      <div class="frame">
        <SideBar />
        <main class="main" id="main" tabindex={-1}>
          <Guarded place={path.join('/')}>
            <Shown key={zone} />
          </Guarded>
        </main>
      </div>
      {signIn.state === 'ended' && <SignInAgain />}
      <Confirm />
      <Toasts />
    </>
  );
}

/** A page that fails says so, and the side bar stays: another address begins anew. */
function Guarded({ place, children }: { place: string; children: ComponentChildren }): ComponentChild {
  const [error, again] = useErrorBoundary();
  useEffect(() => {
    if (error !== undefined) again();
  }, [place]);
  if (error === undefined) return <>{children}</>;
  return <Trouble refusal={new Refusal(0, { title: texts.pageFailed, detail: String(error) })} again={again} />;
}

const loaded = new Map<string, ComponentType>();
const nameOf = ([name = 'overview']: readonly string[]): string => name;

/** Begins to load the code of the page of the address, while the bridge says whether there is a session. */
export function loadFirst(): void {
  loaderOf(nameOf(routeOf(location.hash).path))?.().catch(() => undefined);
}

/** The page of the address. */
function Shown(): ComponentChild {
  const { path } = useRoute();
  const [, redraw] = useState(0);
  const name = nameOf(path);
  const load = loaderOf(name);
  const Page = loaded.get(name);
  useEffect(() => {
    if (load === undefined || loaded.has(name)) return;
    load().then(
      (page) => {
        loaded.set(name, page);
        redraw((count) => count + 1);
      },
      // A newer console took the place of this one, so its files have other names.
      () => location.reload(),
    );
  }, [name]);
  if (load === undefined) {
    return (
      <Empty icon={CircleQuestionMark} title={texts.noPage}>
        {texts.noPageAbout}
      </Empty>
    );
  }
  if (Page !== undefined) return <Page />;
  return (
    <div class="page">
      <Card>
        <Skeleton />
      </Card>
    </div>
  );
}
