import type { ComponentChild, ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useAnswer } from '../client/answers.ts';
import { addressOf, ask } from '../client/api.ts';
import { useRoute } from '../client/route.ts';
import { enter } from '../client/session.ts';
import { Button } from '../parts/button.tsx';
import { Dialog, Late, useAction } from '../parts/dialog.tsx';
import { Field } from '../parts/field.tsx';
import { Notice, Trouble } from '../parts/page.tsx';
import iconUrl from '../style/icon.svg';
import { texts } from '../texts.ts';

/** The only card of a page before any other page. */
export const SignInCard = ({ title, children }: { title: string; children: ComponentChildren }): ComponentChild => (
  <main class="sign-in">
    <div class="card">
      <div class="brand">
        <img src={iconUrl} alt="" width={28} height={28} />
        databridge
      </div>
      <h1>{title}</h1>
      {children}
    </div>
  </main>
);

/** The first page of an operator that has no session. */
export function SignInPage(): ComponentChild {
  const { query } = useRoute();
  useEffect(() => {
    document.title = `${texts.signIn.title} · databridge`;
  }, []);
  return (
    <SignInCard title={texts.signIn.title}>
      {(query['refused'] === 'oidc' || query['refused'] === 'link') && (
        <Notice tone="bad" isAlert>
          {texts.signIn.refusals[query['refused']]}
        </Notice>
      )}
      <SignInForm />
    </SignInCard>
  );
}

/** The sign-in above a page whose session has ended: its forms stay as they are. */
export const SignInAgain = (): ComponentChild => (
  <Dialog title={texts.signIn.again} close={() => undefined} stays>
    <p class="quiet">{texts.signIn.againAbout}</p>
    <SignInForm />
  </Dialog>
);

function SignInForm(): ComponentChild {
  const { answer: ways, refusal: unreachable, again } = useAnswer('getSignIn', {});
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const action = useAction(async () => {
    enter(await ask('signIn', { body: { name, password } }));
  });
  const { submit, refusal, isBusy } = action;
  if (unreachable && ways === undefined) return <Trouble refusal={unreachable} again={again} />;
  if (ways === undefined) return null;
  return (
    <div class="stack">
      {ways.password && (
        <form
          class="form"
          onSubmit={(event) => {
            event.preventDefault();
            void submit();
          }}
        >
          <Field label={texts.signIn.name} value={name} set={setName} autocomplete="username" isFirst isRequired />
          <Field
            label={texts.signIn.password}
            type="password"
            value={password}
            set={setPassword}
            autocomplete="current-password"
            isRequired
          />
          {refusal && <Trouble refusal={refusal} isAction />}
          <Late of={action} />
          <Button type="submit" look="main-one" isBusy={isBusy}>
            {texts.signIn.verb}
          </Button>
        </form>
      )}
      {ways.oidc && (
        <a class={ways.password ? 'button' : 'button main-one'} href={addressOf('startOidc', {})}>
          {texts.signIn.oidc}
        </a>
      )}
    </div>
  );
}
