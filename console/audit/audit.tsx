import { Download, ScrollText } from 'lucide';
import type { ComponentChild } from 'preact';
import { addressOf } from '../client/api.ts';
import { useList } from '../client/pages.ts';
import { useRoute, useTyped } from '../client/route.ts';
import { Icon } from '../parts/icon.tsx';
import { ListCard } from '../parts/list-card.tsx';
import { Empty, Page } from '../parts/page.tsx';
import { Moment } from '../parts/time.tsx';
import { texts } from '../texts.ts';

const t = texts.audit;

/** What entries are looked for by, and as many characters of it as the bridge takes. */
const MOST = { actor: 200, action: 100, source: 63 } as const;
const FILTERS = ['actor', 'action', 'source'] as const;

/** Who changed what, and how. */
export function Audit(): ComponentChild {
  const { query } = useRoute();
  const filter = Object.fromEntries(FILTERS.filter((key) => query[key]).map((key) => [key, query[key]]));
  const list = useList('listAudit', { query: { ...filter, limit: 50 } }, ({ id }) => id);
  return (
    <Page
      title={texts.nav.audit}
      about={t.about}
      actions={
        <a class="button" href={addressOf('exportAudit', { query: { ...filter, format: 'csv' } })} download="audit.csv">
          <Icon of={Download} />
          {t.export}
        </a>
      }
    >
      <div class="tools">
        {FILTERS.map((key) => (
          <Filter key={key} name={key} />
        ))}
      </div>
      <ListCard
        label={texts.nav.audit}
        list={list}
        keyOf={({ id }) => id}
        empty={
          <Empty icon={ScrollText} title={t.none}>
            {t.noneAbout}
          </Empty>
        }
        columns={[
          { title: t.at, cell: ({ at }) => <Moment at={at} /> },
          { title: t.actor, cell: ({ actor }) => <bdi class="long">{actor.replace(/^operator:/, '')}</bdi> },
          {
            title: t.action,
            kind: 'name',
            cell: ({ action, subject }) => (
              <>
                <span class="strong">{action}</span>
                <bdi class="under mono">{subject}</bdi>
              </>
            ),
          },
          { title: t.detail, cell: ({ detail }) => <Detail of={detail} /> },
        ]}
      />
    </Page>
  );
}

function Filter({ name }: { name: (typeof FILTERS)[number] }): ComponentChild {
  const [text, type] = useTyped(name);
  return (
    <div class="filter">
      <input
        type="search"
        aria-label={t.filters[name]}
        placeholder={t.filters[name]}
        value={text}
        maxLength={MOST[name]}
        onInput={(event) => type(event.currentTarget.value)}
      />
    </div>
  );
}

/** The difference that an entry holds, field by field. */
function Detail({ of }: { of: unknown }): ComponentChild {
  const { before, after, ...rest } = (of ?? {}) as { before?: unknown; after?: unknown };
  const fields = [...new Set([...keysOf(before), ...keysOf(after)])].filter(
    (key) => JSON.stringify(valueIn(before, key) ?? null) !== JSON.stringify(valueIn(after, key) ?? null),
  );
  return (
    <ul class="mono small">
      {fields.map((key) => (
        <li key={key}>
          {key}: <bdi>{shown(valueIn(before, key))}</bdi> → <bdi>{shown(valueIn(after, key))}</bdi>
        </li>
      ))}
      {Object.entries(rest)
        .filter(([key, value]) => saysMore(key, value))
        .map(([key, value]) => (
          <li key={key}>
            {key}: <bdi>{shown(value)}</bdi>
          </li>
        ))}
    </ul>
  );
}

/** Nothing, none of something, and the organisation that everything belongs to where there is no other are not worth a line. */
const saysMore = (key: string, value: unknown): boolean =>
  !(value === null || value === 0 || (Array.isArray(value) && value.length === 0)) &&
  !(key === 'organisation' && value === 'default');

const keysOf = (value: unknown): string[] => (typeof value === 'object' && value !== null ? Object.keys(value) : []);
const valueIn = (value: unknown, key: string): unknown => (value as Record<string, unknown> | null | undefined)?.[key];

const LONGEST = 160;

function shown(value: unknown): string {
  if (value === undefined || value === null) return '–';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
