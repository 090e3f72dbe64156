import type { ComponentChild } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useAnswer } from '../client/answers.ts';
import { addressOf, ask, credentials } from '../client/api.ts';
import { FormDialog } from '../parts/dialog.tsx';
import { Field, wrongOf } from '../parts/field.tsx';
import { texts } from '../texts.ts';
import { sayingAt } from './saying-at.ts';

const t = texts.signIn;

/** The password once more, where the bridge asks for it before an action: given, the action goes on by itself. */
export function Confirm(): ComponentChild {
  const [answer, setAnswer] = useState<(isGiven: boolean) => void>();
  const [password, setPassword] = useState('');
  const { answer: ways } = useAnswer('getSignIn', answer && {});
  useEffect(() => {
    let pending: Promise<boolean> | undefined;
    // Two requests at once share one dialog.
    credentials.confirm = () =>
      (pending ??= new Promise<boolean>((resolve) => setAnswer(() => resolve)).finally(() => (pending = undefined)));
  }, []);
  if (answer === undefined) return null;
  const end = (isGiven: boolean): void => {
    answer(isGiven);
    setAnswer(undefined);
    setPassword('');
  };
  return (
    <FormDialog
      title={t.confirm}
      verb={t.confirmVerb}
      fields={['password']}
      close={() => end(false)}
      act={async () => {
        // Whoever signed in at the provider meanwhile has a new session, which is proof enough.
        if (ways?.oidc && password === '') await credentials.renew();
        else await sayingAt('password', t.wrong, ask('confirmSession', { body: { password } }));
        end(true);
      }}
    >
      {(refusal) => (
        <>
          <p class="quiet">{t.confirmAbout}</p>
          {ways?.oidc && (
            <a class="button" href={addressOf('startOidc', {})} target="_blank" rel="noopener">
              {t.confirmOidc}
            </a>
          )}
          {ways?.password !== false && (
            <Field
              label={t.password}
              type="password"
              value={password}
              set={setPassword}
              autocomplete="current-password"
              isFirst
              isRequired={!ways?.oidc}
              wrong={wrongOf(refusal, 'password')}
            />
          )}
        </>
      )}
    </FormDialog>
  );
}
