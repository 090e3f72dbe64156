import type { ComponentChild } from 'preact';
import { useState } from 'preact/hooks';
import { ShownOnce } from '../parts/shown-once.tsx';
import { changed } from '../client/answers.ts';
import { ask } from '../client/api.ts';
import { FormDialog } from '../parts/dialog.tsx';
import { Field, Select, wrongOf } from '../parts/field.tsx';
import { texts } from '../texts.ts';

const t = texts.operators;

const DAYS = ['7', '30', '90', '365'] as const;

/** A personal token for programs, shown once. */
export function NewToken({ name: operator, close }: { name: string; close: () => void }): ComponentChild {
  const [name, setName] = useState('');
  const [days, setDays] = useState<string>('90');
  const [token, setToken] = useState<string>();
  if (token !== undefined) return <ShownOnce title={t.tokenCreated(name)} secret={token} close={close} />;
  return (
    <FormDialog
      title={t.newTokenOf(operator)}
      verb={t.newToken}
      fields={['name']}
      closesWhenDone={false}
      close={close}
      act={async () => {
        const body = { name, days: Number(days) };
        setToken((await ask('createOperatorToken', { params: { name: operator }, body })).token);
        changed(['listOperators', 'listOperatorTokens']);
      }}
    >
      {(refusal) => (
        <>
          <Field
            label={t.tokenName}
            value={name}
            set={setName}
            hint={t.tokenHint}
            isFirst
            wrong={wrongOf(refusal, 'name')}
          />
          <Select label={t.days} value={days} set={setDays} options={DAYS.map((key) => [key, t.daysOf(key)])} />
        </>
      )}
    </FormDialog>
  );
}
