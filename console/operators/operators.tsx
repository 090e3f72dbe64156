import { KeyRound, Link, LogOut, Plus, UserCheck, UserCog, UserX, Users } from 'lucide';
import type { ComponentChild } from 'preact';
import { useState } from 'preact/hooks';
import { changed } from '../client/answers.ts';
import { ask } from '../client/api.ts';
import type { OperatorAccount } from '../client/operations.ts';
import { useList } from '../client/pages.ts';
import { hrefOf, useRoute } from '../client/route.ts';
import { useRole } from '../client/session.ts';
import { numberOf } from '../client/zone.ts';
import { Button } from '../parts/button.tsx';
import { FormDialog } from '../parts/dialog.tsx';
import { Choices, Field, wrongOf } from '../parts/field.tsx';
import { ListCard } from '../parts/list-card.tsx';
import { Menu } from '../parts/menu.tsx';
import { Empty, Page } from '../parts/page.tsx';
import { State } from '../parts/state.tsx';
import { Moment } from '../parts/time.tsx';
import { done, say } from '../parts/toast.tsx';
import { texts } from '../texts.ts';
import { NewLink } from './new-link.tsx';
import { NewToken } from './new-token.tsx';
import { OperatorPage } from './operator.tsx';

const t = texts.operators;

type Role = OperatorAccount['role'];

const roles = (['viewer', 'operator', 'admin'] as const).map(
  (role) => [role, t.roles[role], t.roleAbouts[role]] as const,
);

/** The list of operators, or the one of the address. */
export function Operators(): ComponentChild {
  const [, name] = useRoute().path;
  return name === undefined ? <OperatorList /> : <OperatorPage key={name} name={name} />;
}

/** Who may use the bridge, and what each may do. */
function OperatorList(): ComponentChild {
  const list = useList('listOperators', { query: { limit: 50 } }, ({ name }) => name, 30_000);
  const { name: own } = useRole();
  const [open, setOpen] = useState<'create' | { act: 'role' | 'token' | 'link'; on: OperatorAccount }>();
  const [invited, setInvited] = useState<string>();
  const close = (): void => setOpen(undefined);
  const change = (action: Promise<unknown>, said: string) => async () => {
    if (await done(action, said)) changed(['listOperators']);
  };
  const create = (
    <Button icon={Plus} look="main-one" act={() => setOpen('create')}>
      {t.create}
    </Button>
  );
  return (
    <Page title={texts.nav.operators} about={t.about} actions={create}>
      <ListCard
        label={texts.nav.operators}
        list={list}
        keyOf={({ name }) => name}
        empty={
          <Empty icon={Users} title={t.none}>
            {t.about}
          </Empty>
        }
        columns={[
          {
            title: t.name,
            kind: 'name',
            cell: ({ name }) => (
              <>
                <a href={hrefOf(['operators', name])}>{name}</a> {name === own && <span class="tag">{t.you}</span>}
              </>
            ),
          },
          { title: t.role, cell: ({ role }) => t.roles[role] },
          {
            title: t.organisations,
            cell: ({ organisations }) => (
              <span class="long">{organisations === null ? t.all : organisations.join(', ')}</span>
            ),
          },
          {
            title: t.state,
            cell: ({ disabledAt }) => (
              <State of={disabledAt ? 'paused' : 'active'} word={disabledAt ? t.disabled : texts.states.active} />
            ),
          },
          { title: t.tokens, kind: 'number', cell: ({ tokens }) => numberOf(tokens) },
          { title: t.since, cell: ({ createdAt }) => <Moment at={createdAt} /> },
          {
            title: texts.sources.actions,
            kind: 'actions',
            isSilent: true,
            cell: (on) => {
              const params = { name: on.name };
              return (
                <Menu
                  label={texts.sources.actionsOf(on.name)}
                  items={[
                    { title: t.changeRole, icon: UserCog, act: () => setOpen({ act: 'role', on }) },
                    { title: t.link, icon: Link, act: () => setOpen({ act: 'link', on }) },
                    { title: t.newToken, icon: KeyRound, act: () => setOpen({ act: 'token', on }) },
                    {
                      title: t.signOut,
                      icon: LogOut,
                      act: () => change(ask('signOutOperator', { params }), t.signedOut(on.name))(),
                    },
                    on.disabledAt === null
                      ? {
                          title: t.disable,
                          icon: UserX,
                          isDangerous: true,
                          act: () => change(ask('disableOperator', { params }), t.disabledNow(on.name))(),
                        }
                      : {
                          title: t.enable,
                          icon: UserCheck,
                          act: () => change(ask('enableOperator', { params }), t.enabledNow(on.name))(),
                        },
                  ]}
                />
              );
            },
          },
        ]}
      />
      {open === 'create' && <CreateOperator close={close} invited={(name) => setInvited(name)} />}
      {invited !== undefined && <NewLink name={invited} invite close={() => setInvited(undefined)} />}
      {typeof open === 'object' && open.act === 'link' && <NewLink name={open.on.name} close={close} />}
      {typeof open === 'object' && open.act === 'role' && <ChangeRole on={open.on} close={close} />}
      {typeof open === 'object' && open.act === 'token' && <NewToken name={open.on.name} close={close} />}
    </Page>
  );
}

function CreateOperator({ close, invited }: { close: () => void; invited: (name: string) => void }): ComponentChild {
  const [name, setName] = useState('');
  const [role, setRole] = useState<Role>('viewer');
  return (
    <FormDialog
      title={t.create}
      verb={t.create}
      fields={['name']}
      close={close}
      act={async () => {
        await ask('createOperator', { body: { name, role } });
        changed(['listOperators']);
        invited(name);
      }}
    >
      {(refusal) => (
        <>
          <Field
            label={t.name}
            value={name}
            set={setName}
            hint={t.nameHint}
            isFirst
            isRequired
            wrong={wrongOf(refusal, 'name')}
          />
          <Choices legend={t.role} value={role} set={(key) => setRole(key as Role)} options={roles} />
        </>
      )}
    </FormDialog>
  );
}

function ChangeRole({ on, close }: { on: OperatorAccount; close: () => void }): ComponentChild {
  const [role, setRole] = useState<Role>(on.role);
  return (
    <FormDialog
      title={t.roleOf(on.name)}
      verb={t.changeRole}
      close={close}
      act={async () => {
        await ask('setOperatorRole', { params: { name: on.name }, body: { role } });
        say(t.roleChanged(on.name));
        changed(['listOperators']);
      }}
    >
      <Choices legend={t.role} value={role} set={(key) => setRole(key as Role)} options={roles} />
    </FormDialog>
  );
}
