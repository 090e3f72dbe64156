import { Play } from 'lucide';
import type { ComponentChild } from 'preact';
import { changed } from '../client/answers.ts';
import { ask } from '../client/api.ts';
import type { Ingestion } from '../client/operations.ts';
import { useList } from '../client/pages.ts';
import { useRole } from '../client/session.ts';
import { compactOf, numberOf, shareOf } from '../client/zone.ts';
import { Button } from '../parts/button.tsx';
import { ListCard } from '../parts/list-card.tsx';
import { Page } from '../parts/page.tsx';
import { FirstProject } from '../projects/first-project.tsx';
import { State } from '../parts/state.tsx';
import { Ago, Moment } from '../parts/time.tsx';
import { done } from '../parts/toast.tsx';
import { texts } from '../texts.ts';

const t = texts.delivery;

/** Where the readings of each project go: kept here, or pushed on as well. */
export function Delivery(): ComponentChild {
  const list = useList('listIngestion', { query: { limit: 50 } }, keyOf, 10_000);
  const { mayChange } = useRole();
  return (
    <Page title={texts.nav.delivery} about={t.about}>
      <ListCard
        label={texts.nav.delivery}
        list={list}
        keyOf={keyOf}
        empty={<FirstProject />}
        columns={[
          {
            title: t.project,
            kind: 'name',
            cell: ({ project, organisation, url }) => (
              <>
                <span class="strong">{project}</span>
                {organisation !== 'default' && <span class="under">{organisation}</span>}
                {url && <span class="under mono">{url}</span>}
              </>
            ),
          },
          { title: t.state, cell: stateOf },
          {
            title: t.waiting,
            kind: 'number',
            cell: ({ waiting, mostWaiting, oldestAt }) =>
              waiting === null ? (
                '–'
              ) : (
                <span>
                  {numberOf(waiting)}
                  {mostWaiting !== null && <span class="under">{t.full(shareOf(waiting / mostWaiting))}</span>}
                  {oldestAt && (
                    <span class="under">
                      {t.oldest} <Ago at={oldestAt} />
                    </span>
                  )}
                </span>
              ),
          },
          { title: t.delivered, kind: 'number', cell: (row) => (row.url ? compactOf(row.delivered24h) : '–') },
          { title: t.refused, kind: 'number', cell: (row) => (row.url ? numberOf(row.refused24h) : '–') },
          { title: t.last, kind: 'number', cell: (row) => (row.url ? <Ago at={row.lastDeliveryAt} /> : '–') },
          mayChange && {
            title: texts.sources.actions,
            kind: 'actions',
            isSilent: true,
            cell: ({ project: code, organisation, state }) =>
              state === 'stopped' && (
                <Button
                  isSmall
                  icon={Play}
                  act={async () => {
                    const params = { organisation, code };
                    if (await done(ask('resumeIngestion', { params }), t.resumed(code))) changed(['listIngestion']);
                  }}
                >
                  {texts.sources.resume}
                </Button>
              ),
          },
        ]}
      />
    </Page>
  );
}

const keyOf = ({ organisation, project }: Ingestion): string => `${organisation}/${project}`;

function stateOf({ ingestion, state, fault, fullSince, heldUntil }: Ingestion): ComponentChild {
  if (ingestion === 'store') return <State of="well" word={t.kept} />;
  return (
    <span>
      <State
        of={fullSince ? 'failing' : (state ?? 'active')}
        word={fullSince ? t.isFull : state === 'stopped' ? texts.states.stopped : t.pushed}
      />
      {fault && (
        <span class="under">
          {fault.message}. {fault.remedy}
        </span>
      )}
      {heldUntil && (
        <span class="under">
          {t.heldUntil} <Moment at={heldUntil} />
        </span>
      )}
    </span>
  );
}
