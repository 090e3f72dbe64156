import { Network } from 'lucide';
import type { ComponentChild } from 'preact';
import { useState } from 'preact/hooks';
import type { Operations } from '../client/operations.ts';
import { useAnswer } from '../client/answers.ts';
import { useList } from '../client/pages.ts';
import { adjust, hrefOf, useRoute, useTyped } from '../client/route.ts';
import { useRole } from '../client/session.ts';
import { numberOf } from '../client/zone.ts';
import { Chips } from '../parts/chips.tsx';
import { Select } from '../parts/field.tsx';
import { Card, Empty, Page, Skeleton, Trouble } from '../parts/page.tsx';
import { RegisterLink } from '../parts/register-link.tsx';
import { Search } from '../parts/search.tsx';
import { State } from '../parts/state.tsx';
import { StripLegend } from '../parts/strip.tsx';
import { FirstSource } from '../overview/first-source.tsx';
import { texts } from '../texts.ts';
import { BulkBar } from './bulk-bar.tsx';
import { keyOfSource } from './key.ts';
import { SourceTable } from './source-table.tsx';

const t = texts.sources;

const STATES = ['stopped', 'failing', 'behind', 'silent', 'starting', 'paused', 'well'] as const;
/** More than a screen shows; further ones are read as they come into sight. */
const ROWS = 20;
/** Figures such as the lag change without an event, ms. */
const EVERY_MS = 10_000;

type Query = NonNullable<Operations['listSources']['query']>;

export function SourceList(): ComponentChild {
  const { query } = useRoute();
  const { mayChange } = useRole();
  const [chosen, choose] = useState<ReadonlySet<string>>(new Set());
  const sort = (query['sort'] ?? 'trouble') as Query['sort'];
  const filter = {
    ...(query['state'] && { state: query['state'] as Query['state'] }),
    ...(query['text'] && { text: query['text'] }),
    ...(query['project'] && { project: query['project'] }),
    ...(query['platform'] && { platform: query['platform'] }),
  } as Omit<Query, 'sort' | 'limit' | 'cursor'>;
  const list = useList('listSources', { query: { ...filter, sort, limit: ROWS } as Query }, keyOfSource, EVERY_MS);
  const isFiltered = Object.keys(filter).length > 0;
  const isEmpty = list.items?.length === 0;
  return (
    <Page
      title={texts.nav.sources}
      beside={list.first && <span class="tag">{numberOf(list.first.matching)}</span>}
      actions={(!isEmpty || isFiltered) && <RegisterLink />}
    >
      <Filters query={query} conditions={list.first?.conditions ?? {}} />
      {list.refusal && <Trouble refusal={list.refusal} again={list.again} />}
      {mayChange && chosen.size > 0 && <BulkBar chosen={chosen} choose={choose} />}
      <Card>
        {list.items === undefined ? (
          <Skeleton rows={10} again={list.again} />
        ) : isEmpty && !isFiltered ? (
          <FirstSource />
        ) : isEmpty ? (
          <Empty
            icon={Network}
            title={t.noneMatch}
            action={
              <a class="button" href={hrefOf(['sources'])}>
                {t.showAll}
              </a>
            }
          >
            {t.noneMatchAbout}
          </Empty>
        ) : (
          <SourceTable
            rows={list.items}
            more={list.more}
            sorted={sort ?? 'trouble'}
            chosen={chosen}
            choose={mayChange ? choose : undefined}
          />
        )}
      </Card>
      {!isEmpty && <StripLegend />}
    </Page>
  );
}

interface FiltersProps {
  readonly query: Readonly<Record<string, string>>;
  readonly conditions: Readonly<Record<string, number>>;
}

function Filters({ query, conditions }: FiltersProps): ComponentChild {
  const [text, type] = useTyped('text');
  const { answer: projects } = useAnswer('listProjects', { query: { limit: 200 } });
  const { answer: platforms } = useAnswer('listPlatforms', {});
  const all: [string, string] = ['', t.allProjects];
  return (
    <div class="stack tight">
      <div class="tools">
        <Search label={t.search} value={text} set={type} most={100} />
        <Select
          label={t.project}
          isSilent
          value={query['project'] ?? ''}
          set={(project) => adjust({ project })}
          options={[all, ...(projects?.items ?? []).map(({ code, name }): [string, string] => [code, name || code])]}
        />
        <Select
          label={t.platform}
          isSilent
          value={query['platform'] ?? ''}
          set={(platform) => adjust({ platform })}
          options={[
            ['', t.allPlatforms],
            ...(platforms?.items ?? []).map(({ name, title }): [string, string] => [name, title]),
          ]}
        />
      </div>
      <Chips
        label={texts.overview.byState}
        options={STATES.filter((state) => conditions[state] || query['state'] === state).map((state) => [
          state,
          <>
            <State of={state} word="" />
            <b>{numberOf(conditions[state] ?? 0)}</b> {texts.states[state]}
          </>,
        ])}
        chosen={STATES.find((state) => state === query['state'])}
        choose={(state) => adjust({ state })}
      />
    </div>
  );
}
