import type { ComponentChild } from 'preact';
import { changed, useAnswer } from '../client/answers.ts';
import { ask } from '../client/api.ts';
import type { ListedSession } from '../client/operations.ts';
import { leave, useSignIn } from '../client/session.ts';
import { Card, Figures, Page, Skeleton, Trouble } from '../parts/page.tsx';
import { Moment } from '../parts/time.tsx';
import { done, say } from '../parts/toast.tsx';
import { PasswordForm } from '../sign-in/new-password.tsx';
import { texts } from '../texts.ts';
import { SessionTable } from './session-table.tsx';

const t = texts.account;

/** The own account: role, password and sessions. */
export function Account(): ComponentChild {
  const signIn = useSignIn();
  const { answer: ways } = useAnswer('getSignIn', {});
  const { answer, refusal, again } = useAnswer('listSessions', {}, 30_000);
  if (signIn.state !== 'in') return null;
  const { name, role, organisations } = signIn.operator;
  return (
    <Page title={t.title}>
      <Card isText>
        <Figures
          of={[
            [texts.operators.name, name],
            [texts.operators.role, `${texts.operators.roles[role]}: ${texts.operators.roleAbouts[role]}`],
            [texts.operators.organisations, organisations === null ? texts.operators.all : organisations.join(', ')],
            [t.endsAt, <Moment at={signIn.endsAt} />],
          ]}
        />
      </Card>
      <Card title={t.sessions}>
        {refusal && <Trouble refusal={refusal} again={again} />}
        {answer === undefined ? (
          !refusal && <Skeleton rows={3} again={again} />
        ) : (
          <SessionTable label={t.sessions} sessions={answer.sessions} end={end} />
        )}
      </Card>
      {ways?.password && (
        <Card title={t.password} isText>
          <div class="narrow">
            <PasswordForm name={name} done={() => say(t.passwordChanged)} />
          </div>
        </Card>
      )}
    </Page>
  );
}

async function end({ id, current }: ListedSession): Promise<void> {
  if (current) await leave();
  else if (await done(ask('endSession', { params: { id } }), t.ended)) changed(['listSessions']);
}
