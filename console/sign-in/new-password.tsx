import type { ComponentChild } from 'preact';
import { useState } from 'preact/hooks';
import { ask } from '../client/api.ts';
import { enter, useSignIn } from '../client/session.ts';
import { Button } from '../parts/button.tsx';
import { Late, useAction } from '../parts/dialog.tsx';
import { Field, wrongOf } from '../parts/field.tsx';
import { Trouble } from '../parts/page.tsx';
import { texts } from '../texts.ts';
import { sayingAt } from './saying-at.ts';
import { SignInCard } from './sign-in.tsx';

/** An operator whose password was given to it chooses another one before anything else. */
export const NewPassword = ({ name }: { name: string }): ComponentChild => (
  <SignInCard title={texts.password.title}>
    <p class="quiet">{texts.password.about(name)}</p>
    <PasswordForm name={name} done={() => undefined} />
  </SignInCard>
);

/** Changes the own password; the session goes on as a new one. */
export function PasswordForm({ name, done }: { name: string; done: () => void }): ComponentChild {
  const [current, setCurrent] = useState('');
  const [password, setPassword] = useState('');
  const [repeated, setRepeated] = useState('');
  const signIn = useSignIn();
  const isFirst = signIn.state === 'in' && signIn.mayChoosePassword;
  const isDifferent = repeated !== '' && repeated !== password;
  const action = useAction(async () => {
    const body = isFirst ? { password } : { current, password };
    enter(await sayingAt('current', texts.signIn.wrong, ask('changePassword', { body })));
    setCurrent('');
    setPassword('');
    setRepeated('');
  }, done);
  const { submit, refusal, isBusy } = action;
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isDifferent) void submit();
      }}
    >
      <input
        class="away"
        type="text"
        autocomplete="username"
        value={name}
        readOnly
        tabindex={-1}
        aria-label={texts.signIn.name}
      />
      {!isFirst && (
        <Field
          label={texts.password.current}
          type="password"
          value={current}
          set={setCurrent}
          autocomplete="current-password"
          wrong={wrongOf(refusal, 'current')}
          isRequired
        />
      )}
      <Field
        label={texts.password.next}
        type="password"
        value={password}
        set={setPassword}
        autocomplete="new-password"
        hint={texts.password.hint}
        wrong={wrongOf(refusal, 'password')}
        isRequired
      />
      <Field
        label={texts.password.repeated}
        type="password"
        value={repeated}
        set={setRepeated}
        autocomplete="new-password"
        wrong={isDifferent ? texts.password.different : undefined}
        isRequired
      />
      {refusal && !refusal.problem.errors?.length && <Trouble refusal={refusal} isAction />}
      <Late of={action} />
      <Button type="submit" look="main-one" isBusy={isBusy}>
        {texts.password.verb}
      </Button>
    </form>
  );
}
