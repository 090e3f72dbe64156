import { LogOut, MonitorOff } from 'lucide';
import type { ComponentChild } from 'preact';
import { SessionTable } from '../account/session-table.tsx';
import { changed, useAnswer } from '../client/answers.ts';
import { ask } from '../client/api.ts';
import { hrefOf } from '../client/route.ts';
import { leave } from '../client/session.ts';
import { Button } from '../parts/button.tsx';
import { Awaited, Card, Empty, Figures, Page } from '../parts/page.tsx';
import { State } from '../parts/state.tsx';
import { Moment } from '../parts/time.tsx';
import { done } from '../parts/toast.tsx';
import { texts } from '../texts.ts';
import { Tokens } from './tokens.tsx';

const t = texts.operators;

/** How often an operator is read, ms. */
const EVERY_MS = 30_000;

/** An operator: what it may do, its tokens and its sessions. */
export function OperatorPage({ name }: { name: string }): ComponentChild {
  const shown = useAnswer('getOperator', { params: { name } }, EVERY_MS);
  const { answer } = shown;
  return (
    <Page
      title={name}
      above={{ title: texts.nav.operators, href: hrefOf(['operators']) }}
      beside={
        answer && (
          <State
            of={answer.disabledAt ? 'paused' : 'active'}
            word={answer.disabledAt ? t.disabled : texts.states.active}
          />
        )
      }
    >
      <Awaited of={shown}>
        {(account) => (
          <>
            <Card isText>
              <Figures
                of={[
                  [t.role, `${t.roles[account.role]}: ${t.roleAbouts[account.role]}`],
                  [t.organisations, account.organisations === null ? t.all : account.organisations.join(', ')],
                  [t.since, <Moment at={account.createdAt} />],
                ]}
              />
            </Card>
            <Tokens name={name} mayGrow={account.disabledAt === null} />
            <Sessions name={name} />
          </>
        )}
      </Awaited>
    </Page>
  );
}

/** Where an operator is signed in. */
function Sessions({ name }: { name: string }): ComponentChild {
  const params = { name };
  const shown = useAnswer('listOperatorSessions', { params }, EVERY_MS);
  const { answer } = shown;
  const change = async (action: Promise<unknown>, said: string): Promise<void> => {
    if (await done(action, said)) changed(['listOperatorSessions']);
  };
  return (
    <Card
      title={t.sessions}
      actions={
        answer !== undefined &&
        answer.sessions.length > 1 && (
          <Button icon={LogOut} act={() => change(ask('signOutOperator', { params }), t.signedOut(name))}>
            {t.signOut}
          </Button>
        )
      }
    >
      <Awaited of={shown} rows={3} isInCard>
        {({ sessions }) =>
          sessions.length === 0 ? (
            <Empty icon={MonitorOff} title={t.noSessions}>
              {t.noSessionsAbout}
            </Empty>
          ) : (
            <SessionTable
              label={t.sessions}
              sessions={sessions}
              end={({ id, current }) =>
                current ? leave() : change(ask('endOperatorSession', { params: { name, id } }), texts.account.ended)
              }
            />
          )
        }
      </Awaited>
    </Card>
  );
}
