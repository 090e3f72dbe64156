import { History, Pause, Play, X } from 'lucide';
import type { ComponentChild } from 'preact';
import { changed } from '../client/answers.ts';
import { ask } from '../client/api.ts';
import type { Backfill, Operations } from '../client/operations.ts';
import { useList } from '../client/pages.ts';
import { adjust, hrefOf, useRoute } from '../client/route.ts';
import { useRole } from '../client/session.ts';
import { lengthOf, numberOf, shareOf } from '../client/zone.ts';
import { WhyEmpty } from '../overview/first-source.tsx';
import { Chips } from '../parts/chips.tsx';
import { ListCard } from '../parts/list-card.tsx';
import { Menu } from '../parts/menu.tsx';
import { Empty, Page } from '../parts/page.tsx';
import { State } from '../parts/state.tsx';
import type { Column } from '../parts/table.tsx';
import { Ago, Progress, Range } from '../parts/time.tsx';
import { done } from '../parts/toast.tsx';
import { texts } from '../texts.ts';

const t = texts.backfills;

const STATES = ['running', 'paused', 'done', 'cancelled'] as const;

/** The wishes that past ranges be covered: how far they are, and why one waits. */
export function Backfills(): ComponentChild {
  const { query } = useRoute();
  const { mayChange } = useRole();
  const state = STATES.find((one) => one === query['state']);
  const given = { query: { limit: 50, ...(state && { state }) } as Operations['listBackfills']['query'] };
  const list = useList('listBackfills', given, ({ id }) => id, 5_000);
  return (
    <Page title={texts.nav.backfills} about={t.about}>
      <Chips
        label={t.byState}
        options={STATES.map((one) => [one, <State of={one} />])}
        chosen={state}
        choose={(one) => adjust({ state: one })}
      />
      <ListCard
        label={texts.nav.backfills}
        list={list}
        keyOf={({ id }) => id}
        columns={mayChange ? [...columns, actions] : columns}
        empty={
          <WhyEmpty>
            <Empty
              icon={History}
              title={state ? t.noneOf(texts.states[state]) : t.none}
              command="databridge backfill start SOURCE --from 30d"
              action={
                <a class="button" href={hrefOf(['sources'])}>
                  {t.toSources}
                </a>
              }
            >
              {t.noneAbout}
            </Empty>
          </WhyEmpty>
        }
      />
    </Page>
  );
}

const columns: readonly Column<Backfill>[] = [
  {
    title: t.source,
    kind: 'name',
    cell: ({ id, source, organisation, what }) => (
      <>
        <a href={hrefOf(['sources', organisation, source])}>{source}</a>
        <span class="under">{t.kindOf(String(id), t.whats[what])}</span>
      </>
    ),
  },
  { title: t.state, cell: stateOf },
  { title: t.range, cell: ({ from, to }) => <Range from={from} to={to} /> },
  {
    title: t.share,
    kind: 'wide',
    cell: ({ share, id }) => (
      <div class="row">
        <Progress share={share} label={t.shareOf(id)} />
        <span class="number">{shareOf(share)}</span>
      </div>
    ),
  },
  {
    title: t.readings,
    kind: 'number',
    cell: ({ readings, work }) => (
      <span>
        {numberOf(readings)}
        <span class="under">{t.requests(numberOf(work.requests))}</span>
      </span>
    ),
  },
  {
    title: t.left,
    kind: 'number',
    cell: ({ state, speed, tookSeconds }) =>
      state === 'running' && speed?.leftSeconds
        ? lengthOf(speed.leftSeconds.expected)
        : tookSeconds === null
          ? '–'
          : t.took(lengthOf(tookSeconds)),
  },
  {
    title: t.by,
    cell: ({ requestedBy, createdAt }) => (
      <span class="long">
        {requestedBy.replace(/^operator:/, '')}
        <span class="under">
          <Ago at={createdAt} />
        </span>
      </span>
    ),
  },
];

/** The state, and why it waits or what failed. */
function stateOf({ state, waits, errors, unreadable }: Backfill): ComponentChild {
  const why = waits ?? errors[0] ?? (unreadable > 0 ? t.unreadable : undefined);
  return (
    <span>
      <State of={state} />
      {why && (
        <span class="under why" title={why}>
          {why}
        </span>
      )}
    </span>
  );
}

const actions: Column<Backfill> = {
  title: texts.sources.actions,
  kind: 'actions',
  isSilent: true,
  cell: ({ id, state }) => {
    const act = (what: 'pauseBackfill' | 'resumeBackfill' | 'cancelBackfill', said: string) => async () => {
      if (await done(ask(what, { params: { id } }), said)) changed(['listBackfills']);
    };
    return (
      <Menu
        label={t.actionsOf(id)}
        items={[
          state === 'running' && { title: texts.sources.pause, icon: Pause, act: act('pauseBackfill', t.paused(id)) },
          state === 'paused' && { title: texts.sources.resume, icon: Play, act: act('resumeBackfill', t.resumed(id)) },
          (state === 'running' || state === 'paused') && {
            title: t.cancel,
            icon: X,
            isDangerous: true,
            act: act('cancelBackfill', t.cancelled(id)),
          },
        ]}
      />
    );
  },
};
