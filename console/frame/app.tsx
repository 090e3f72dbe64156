import { CircleQuestionMark, WifiOff } from 'lucide';
import type { ComponentChild, ComponentChildren, ComponentType } from 'preact';
import { useEffect, useErrorBoundary, useState } from 'preact/hooks';
import { whenStream } from '../client/events.ts';
import { Refusal, ask, waitAfter } from '../client/api.ts';
import { hrefOf, routeOf, useRoute } from '../client/route.ts';
import { findSession, useSignIn } from '../client/session.ts';
import { useZone } from '../client/zone.ts';
import { Icon } from '../parts/icon.tsx';
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
    return <Shell>{signIn.refusal && <Trouble refusal={signIn.refusal} again={() => void findSession()} />}</Shell>;
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
      <Away />
      <Toasts />
    </>
  );
}

/** A stream that is opened anew at once is no matter, ms. */
const MATTERS_MS = 1_500;

/** Says above each page that the bridge is away, and that the page goes on by itself. */
function Away(): ComponentChild {
  const [isAway, setAway] = useState(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const end = whenStream((isOpen) => {
      if (isOpen) {
        clearTimeout(timer);
        timer = undefined;
        setAway(false);
      } else timer ??= setTimeout(() => setAway(true), MATTERS_MS);
    });
    return () => {
      end();
      clearTimeout(timer);
    };
  }, []);
  return (
    <div class="away-note" role="status">
      {isAway && (
        <p>
          <Icon of={WifiOff} />
          {texts.away}
        </p>
      )}
    </div>
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

/** In the place of a page whose code could not be loaded: the console begins anew at it as soon as the bridge is there. */
function Lost(): ComponentChild {
  const [refusal, refuse] = useState<Refusal>();
  useEffect(() => {
    const leaving = new AbortController();
    void whenBack(refuse, leaving.signal);
    return () => leaving.abort();
  }, []);
  return refusal && <Trouble refusal={refusal} />;
}

/** Loads the console anew once the bridge answers: a newer one may have taken its place, whose files have other names. */
async function whenBack(refuse: (refusal: Refusal) => void, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await ask('getSignIn', {}, { unattended: true, signal });
      location.reload();
      return;
    } catch (error) {
      if (!(error instanceof Refusal)) return;
      refuse(error);
      await new Promise((resolve) => setTimeout(resolve, waitAfter(error) ?? 5_000));
    }
  }
}

/** The page of the address. */
function Shown(): ComponentChild {
  const { path } = useRoute();
  const [, redraw] = useState(0);
  const [lost, setLost] = useState<string>();
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
      () => setLost(name),
    );
  }, [name]);
  if (load === undefined) {
    return (
      <Card>
        <Empty
          icon={CircleQuestionMark}
          title={texts.noPage}
          action={
            <a class="button" href={hrefOf(['overview'])}>
              {texts.nav.overview}
            </a>
          }
        >
          {texts.noPageAbout}
        </Empty>
      </Card>
    );
  }
  if (Page !== undefined) return <Page />;
  if (lost === name) return <Lost />;
  return (
    <div class="page">
      <Card>
        <Skeleton />
      </Card>
    </div>
  );
}
