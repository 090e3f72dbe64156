import { Ban, CircleCheck } from 'lucide';
import type { ComponentChild } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import { useAnswer } from '../client/answers.ts';
import type { Operations, RefusalOfSource } from '../client/operations.ts';
import { useList } from '../client/pages.ts';
import { adjust, hrefOf, useRoute } from '../client/route.ts';
import { numberOf } from '../client/zone.ts';
import { WhyEmpty } from '../overview/first-source.tsx';
import { Chips } from '../parts/chips.tsx';
import { ListCard } from '../parts/list-card.tsx';
import { Empty, Notice, Page } from '../parts/page.tsx';
import { reasonOf } from '../parts/reason.ts';
import type { Column } from '../parts/table.tsx';
import { Range } from '../parts/time.tsx';
import { texts } from '../texts.ts';

const t = texts.refusals;

/** How often the refusals of all sources are read, ms: the bridge adds them up each time. */
const EVERY_MS = 15_000;

type Query = NonNullable<Operations['listRefusalsOfAll']['query']>;

/** The points of all sources that may not become readings: by reason, and by source and sensor. */
export function Refusals(): ComponentChild {
  const { query } = useRoute();
  const reason = query['reason'] as Query['reason'];
  const source = query['source'];
  const ofSource = source ? { source } : {};
  const list = useList(
    'listRefusalsOfAll',
    { query: { ...ofSource, ...(reason && { reason }), limit: 50 } },
    keyOf,
    EVERY_MS,
  );
  // A list of one reason has the sum of that reason alone, and the others stay to be chosen.
  const { answer: all } = useAnswer('listRefusalsOfAll', reason && { query: { ...ofSource, limit: 1 } }, EVERY_MS);
  const reasons = (reason ? all : list.first)?.reasons ?? [];
  const chosen = reasons.find((one) => one.reason === reason);
  const isFiltered = Boolean(reason ?? source);
  return (
    <Page title={texts.nav.refusals} about={t.aboutAll}>
      <div class="stack tight">
        <div class="tools">
          <SourceFilter source={source ?? ''} />
        </div>
        <Chips
          label={t.byReason}
          options={reasons.map(({ reason: one, refused }) => [
            one,
            <>
              <b>{numberOf(refused)}</b> {reasonOf(one)}
            </>,
          ])}
          chosen={reason}
          choose={(one) => adjust({ reason: one })}
        />
      </div>
      {chosen && <Notice remedy={chosen.remedy}>{chosen.meaning}</Notice>}
      <ListCard
        label={texts.nav.refusals}
        list={list}
        keyOf={keyOf}
        empty={
          isFiltered ? (
            <Empty
              icon={Ban}
              title={t.noneMatch}
              action={
                <a class="button" href={hrefOf(['refusals'])}>
                  {t.showAll}
                </a>
              }
            >
              {t.noneMatchAbout}
            </Empty>
          ) : (
            <WhyEmpty>
              <Empty icon={CircleCheck} title={t.none} command="databridge refusals">
                {t.noneAboutAll}
              </Empty>
            </WhyEmpty>
          )
        }
        columns={columns}
      />
    </Page>
  );
}

const keyOf = ({ organisation, source, sensor, variable, reason }: RefusalOfSource): string =>
  JSON.stringify([organisation, source, sensor, variable, reason]);

const columns: readonly Column<RefusalOfSource>[] = [
  {
    title: t.sensor,
    kind: 'name',
    cell: ({ organisation, source, sensor, variable }) => (
      <>
        <a class="mono" dir="auto" href={hrefOf(['sources', organisation, source], { tab: 'refusals', sensor })}>
          {sensor}
        </a>
        <span class="under mono" dir="auto">
          {variable}
        </span>
      </>
    ),
  },
  {
    title: t.source,
    cell: ({ organisation, source, project }) => (
      <span>
        {source}
        <span class="under">{organisation === 'default' ? project : `${organisation} · ${project}`}</span>
      </span>
    ),
  },
  { title: t.reason, cell: ({ reason }) => reasonOf(reason) },
  { title: t.points, kind: 'number', cell: ({ refused }) => numberOf(refused) },
  { title: t.range, cell: ({ first, last }) => (first && last ? <Range from={first} to={last} /> : '–') },
];

/** Names of sources that are proposed while one types. */
const PROPOSED = 10;

/** The name of a source, in full as the list takes it: one that is proposed or confirmed with Enter. */
function SourceFilter({ source }: { source: string }): ComponentChild {
  const [text, setText] = useState(source);
  // Before the next key, which would be lost.
  useLayoutEffect(() => setText(source), [source]);
  const { answer } = useAnswer('listSources', { query: { ...(text && { text }), sort: 'name', limit: PROPOSED } });
  const names = [...new Set(answer?.items.map(({ name }) => name))];
  const choose = (name: string): void => adjust({ source: name || undefined });
  const isWhole = text === '' || names.includes(text);
  useLayoutEffect(() => {
    if (isWhole && text !== source) choose(text);
  }, [isWhole, text]);
  return (
    <div class="filter">
      <input
        type="search"
        list="refusals-sources"
        aria-label={t.source}
        placeholder={t.source}
        value={text}
        maxLength={63}
        onInput={({ currentTarget: { value } }) => setText(value)}
        onChange={({ currentTarget: { value } }) => choose(value)}
      />
      <datalist id="refusals-sources">
        {names.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </div>
  );
}
