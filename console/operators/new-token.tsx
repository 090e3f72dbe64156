import type { ComponentChild } from 'preact';
import { useState } from 'preact/hooks';
import { ShownOnce } from '../parts/shown-once.tsx';
import { changed } from '../client/answers.ts';
import { ask } from '../client/api.ts';
import { Button } from '../parts/button.tsx';
import { Dialog, useAction } from '../parts/dialog.tsx';
import { Field, Select, wrongOf } from '../parts/field.tsx';
import { Trouble } from '../parts/page.tsx';
import { texts } from '../texts.ts';

const t = texts.operators;

const DAYS = ['7', '30', '90', '365'] as const;

/** A personal token for programs, shown once. */
export function NewToken({ name: operator, close }: { name: string; close: () => void }): ComponentChild {
  const [name, setName] = useState('');
  const [days, setDays] = useState<string>('90');
  const [token, setToken] = useState<string>();
  const { submit, refusal, isBusy } = useAction(async () => {
    const made = await ask('createOperatorToken', { params: { name: operator }, body: { name, days: Number(days) } });
    setToken(made.token);
    changed(['listOperators', 'listOperatorTokens']);
  });
  if (token !== undefined) return <ShownOnce title={t.tokenCreated(name)} secret={token} close={close} />;
  return (
    <Dialog title={t.newTokenOf(operator)} close={close}>
      <form
        class="form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <Field
          label={t.tokenName}
          value={name}
          set={setName}
          hint={t.tokenHint}
          isFirst
          wrong={wrongOf(refusal, 'name')}
        />
        <Select label={t.days} value={days} set={setDays} options={DAYS.map((key) => [key, t.daysOf(key)])} />
        {refusal && wrongOf(refusal, 'name') === undefined && <Trouble refusal={refusal} />}
        <div class="buttons">
          <Button act={close}>{texts.cancel}</Button>
          <Button type="submit" look="main-one" isBusy={isBusy}>
            {t.newToken}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
