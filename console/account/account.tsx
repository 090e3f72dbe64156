import { LogOut } from 'lucide';
import type { ComponentChild } from 'preact';
import { changed, useAnswer } from '../client/answers.ts';
import { ask } from '../client/api.ts';
import type { ListedSession } from '../client/operations.ts';
import { leave, useSignIn } from '../client/session.ts';
import { Button } from '../parts/button.tsx';
import { Card, Figures, Page, Skeleton, Trouble } from '../parts/page.tsx';
import { Table } from '../parts/table.tsx';
import { Ago, Moment } from '../parts/time.tsx';
import { done, say } from '../parts/toast.tsx';
import { PasswordForm } from '../sign-in/new-password.tsx';
import { texts } from '../texts.ts';

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
          !refusal && <Skeleton rows={3} />
        ) : (
          <Table
            label={t.sessions}
            rows={answer.sessions}
            keyOf={({ id }) => id}
            columns={[
              {
                title: t.browser,
                kind: 'name',
                cell: ({ agent, address, current }) => (
                  <>
                    <span class="strong">{browserOf(agent)}</span> {current && <span class="tag">{t.thisOne}</span>}
                    <span class="under mono">{address}</span>
                  </>
                ),
              },
              { title: t.used, kind: 'number', cell: ({ usedAt }) => <Ago at={usedAt} /> },
              { title: t.begun, cell: ({ createdAt }) => <Moment at={createdAt} /> },
              {
                title: texts.sources.actions,
                kind: 'actions',
                isSilent: true,
                cell: (session) => (
                  <Button isSmall icon={LogOut} act={() => end(session)}>
                    {texts.signOut}
                  </Button>
                ),
              },
            ]}
          />
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

/** `Firefox on Linux`: enough to know a session again. */
function browserOf(agent: string): string {
  const browser = /(Edg|OPR|Firefox|Chrome|Safari)\//.exec(agent)?.[1] ?? '';
  const system = /(Windows|Android|iPhone|iPad|Mac OS X|Linux)/.exec(agent)?.[1] ?? '';
  const names: Readonly<Record<string, string>> = { Edg: 'Edge', OPR: 'Opera' };
  return browser === '' ? agent.slice(0, 60) || '–' : `${names[browser] ?? browser}${system && ` · ${system}`}`;
}
