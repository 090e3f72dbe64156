import { LogOut } from 'lucide';
import type { ComponentChild } from 'preact';
import type { ListedSession } from '../client/operations.ts';
import { Button } from '../parts/button.tsx';
import { Table } from '../parts/table.tsx';
import { Ago, Moment } from '../parts/time.tsx';
import { texts } from '../texts.ts';

const t = texts.account;

interface SessionTableProps {
  readonly label: string;
  readonly sessions: readonly ListedSession[];
  readonly end: (session: ListedSession) => Promise<void>;
}

/** Sessions of an operator, each with what is enough to know it again, and the button that ends it. */
export const SessionTable = ({ label, sessions, end }: SessionTableProps): ComponentChild => (
  <Table
    label={label}
    rows={sessions}
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
);

/** `Firefox on Linux`: enough to know a session again. */
function browserOf(agent: string): string {
  const browser = /(Edg|OPR|Firefox|Chrome|Safari)\//.exec(agent)?.[1] ?? '';
  const system = /(Windows|Android|iPhone|iPad|Mac OS X|Linux)/.exec(agent)?.[1] ?? '';
  const names: Readonly<Record<string, string>> = { Edg: 'Edge', OPR: 'Opera' };
  return browser === '' ? agent.slice(0, 60) || '–' : `${names[browser] ?? browser}${system && ` · ${system}`}`;
}
