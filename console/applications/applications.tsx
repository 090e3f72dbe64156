import { AppWindow, Ban, KeyRound, Plus } from 'lucide';
import type { ComponentChild } from 'preact';
import { useState } from 'preact/hooks';
import { changed } from '../client/answers.ts';
import { ask } from '../client/api.ts';
import type { Application } from '../client/operations.ts';
import { useList } from '../client/pages.ts';
import { useRole } from '../client/session.ts';
import { compactOf, numberOf } from '../client/zone.ts';
import { Button } from '../parts/button.tsx';
import { FormDialog } from '../parts/dialog.tsx';
import { ListCard } from '../parts/list-card.tsx';
import { Menu } from '../parts/menu.tsx';
import { Empty, Page } from '../parts/page.tsx';
import { State } from '../parts/state.tsx';
import { Ago, Moment } from '../parts/time.tsx';
import { say } from '../parts/toast.tsx';
import { texts } from '../texts.ts';
import { CreateApplication } from './create-application.tsx';
import { RotateApplication } from './rotate-application.tsx';

const t = texts.applications;

/** The programs of customers that may push readings. */
export function Applications(): ComponentChild {
  const list = useList('listApplications', { query: { limit: 50 } }, ({ applicationId }) => applicationId, 15_000);
  const { mayAdminister } = useRole();
  const [open, setOpen] = useState<'create' | { act: 'rotate' | 'revoke'; on: Application }>();
  const close = (): void => setOpen(undefined);
  const create = mayAdminister && (
    <Button icon={Plus} look="main-one" act={() => setOpen('create')}>
      {t.create}
    </Button>
  );
  return (
    <Page title={texts.nav.applications} about={t.about} actions={list.items?.length !== 0 && create}>
      <ListCard
        label={texts.nav.applications}
        list={list}
        keyOf={({ applicationId }) => applicationId}
        empty={
          <Empty icon={AppWindow} title={t.none} action={create} command="databridge application create NAME">
            {t.noneAbout}
          </Empty>
        }
        columns={[
          {
            title: t.name,
            kind: 'name',
            cell: ({ name, applicationId }) => (
              <>
                <bdi class="strong">{name}</bdi>
                <span class="under mono">{applicationId}</span>
              </>
            ),
          },
          { title: t.state, cell: stateOf },
          {
            title: t.projects,
            cell: ({ organisation, projects }) => (
              <span class="long">
                {projects === null ? t.allProjects : projects.join(', ')}
                {organisation !== 'default' && <span class="under">{organisation}</span>}
              </span>
            ),
          },
          { title: t.lastToken, kind: 'number', cell: ({ lastTokenAt }) => <Ago at={lastTokenAt} /> },
          { title: t.lastPush, kind: 'number', cell: ({ lastPushAt }) => <Ago at={lastPushAt} /> },
          {
            title: t.readings,
            kind: 'number',
            cell: ({ accepted, refused24h }) => (
              <span>
                {compactOf(accepted)}
                {refused24h > 0 && <span class="under">{t.refused(numberOf(refused24h))}</span>}
              </span>
            ),
          },
          mayAdminister && {
            title: texts.sources.actions,
            kind: 'actions',
            isSilent: true,
            cell: (on) =>
              on.revokedAt === null && (
                <Menu
                  label={texts.sources.actionsOf(on.name)}
                  items={[
                    { title: t.rotate, icon: KeyRound, act: () => setOpen({ act: 'rotate', on }) },
                    { title: t.revoke, icon: Ban, isDangerous: true, act: () => setOpen({ act: 'revoke', on }) },
                  ]}
                />
              ),
          },
        ]}
      />
      {open === 'create' && <CreateApplication close={close} />}
      {typeof open === 'object' && open.act === 'rotate' && <RotateApplication application={open.on} close={close} />}
      {typeof open === 'object' && open.act === 'revoke' && (
        <FormDialog
          title={t.revokeTitle(open.on.name)}
          verb={t.revoke}
          isDangerous
          close={close}
          act={async () => {
            await ask('revokeApplication', { params: { id: open.on.applicationId } });
            say(t.revoked(open.on.name));
            changed(['listApplications']);
          }}
        >
          <p>{t.revokeAbout}</p>
        </FormDialog>
      )}
    </Page>
  );
}

function stateOf({ revokedAt, previousSecretUntil }: Application): ComponentChild {
  if (revokedAt !== null) return <State of="revoked" />;
  return (
    <span>
      <State of="active" />
      {previousSecretUntil !== null && (
        <span class="under">
          {t.oldUntil} <Moment at={previousSecretUntil} />
        </span>
      )}
    </span>
  );
}
