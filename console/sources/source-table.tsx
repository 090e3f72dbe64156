import type { ComponentChild } from 'preact';
import { Pause, Play, RefreshCw } from 'lucide';
import { useAnswer } from '../client/answers.ts';
import { ask } from '../client/api.ts';
import type { SourceLine } from '../client/operations.ts';
import { adjust, hrefOf } from '../client/route.ts';
import { compactOf, lengthOf, numberOf } from '../client/zone.ts';
import { Menu } from '../parts/menu.tsx';
import { State } from '../parts/state.tsx';
import { Strip } from '../parts/strip.tsx';
import { Table } from '../parts/table.tsx';
import type { Column } from '../parts/table.tsx';
import { Ago } from '../parts/time.tsx';
import { done } from '../parts/toast.tsx';
import { texts } from '../texts.ts';
import { keyOfSource } from './key.ts';

const t = texts.sources;

/** Strips are asked for in lots of so many sources. */
const LOT = 20;
/** A strip shows seven days, so it is read now and then, ms. */
const STRIPS_MS = 30_000;

interface TableProps {
  readonly rows: readonly SourceLine[];
  readonly more: (() => void) | undefined;
  readonly sorted: string;
  readonly chosen: ReadonlySet<string>;
  readonly choose: ((chosen: ReadonlySet<string>) => void) | undefined;
}

export function SourceTable({ rows, more, sorted, chosen, choose }: TableProps): ComponentChild {
  const toggle = (key: string): void => {
    const next = new Set(chosen);
    if (!next.delete(key)) next.add(key);
    choose?.(next);
  };
  const select: Column<SourceLine> = {
    title: t.select,
    kind: 'select',
    isSilent: true,
    cell: (row) => (
      <input
        type="checkbox"
        aria-label={t.selectOne(row.name)}
        checked={chosen.has(keyOfSource(row))}
        onChange={() => toggle(keyOfSource(row))}
      />
    ),
  };
  return (
    <Table
      label={texts.nav.sources}
      rows={rows}
      keyOf={keyOfSource}
      more={more}
      sorted={sorted}
      sort={(sort) => adjust({ sort })}
      columns={[...(choose ? [select] : []), ...columns(rows), ...(choose ? [actions] : [])]}
    />
  );
}

const columns = (rows: readonly SourceLine[]): readonly Column<SourceLine>[] => [
  {
    title: t.name,
    kind: 'name',
    sort: 'name',
    cell: ({ organisation, name, platform, project }) => (
      <>
        <a href={hrefOf(['sources', organisation, name])}>{name}</a>
        <span class="under">
          {organisation === 'default' ? project : `${organisation} · ${project}`} · {platform}
        </span>
      </>
    ),
  },
  { title: t.state, sort: 'trouble', cell: stateOf },
  { title: t.newest, kind: 'number', cell: ({ newestAt }) => <Ago at={newestAt} /> },
  {
    title: t.overdue,
    kind: 'number',
    sort: 'overdue',
    cell: ({ overdueSeconds }) =>
      overdueSeconds === null ? '–' : overdueSeconds > 0 ? lengthOf(overdueSeconds) : t.onTime,
  },
  { title: t.coverage, kind: 'wide', cell: (row) => <LazyStrip rows={rows} row={row} /> },
  {
    title: t.requests,
    kind: 'number',
    sort: 'requests',
    cell: ({ requestsLastHour: { all, allowed, failed } }) => (
      <span>
        {allowed === null ? numberOf(all) : t.ofAllowed(numberOf(all), compactOf(allowed))}
        {failed > 0 && <span class="under">{t.failed(numberOf(failed))}</span>}
      </span>
    ),
  },
];

/** The state of a source, and the fault that explains it. */
function stateOf({ condition, fault, allRefused }: SourceLine): ComponentChild {
  const why = condition === 'well' || condition === 'paused' ? undefined : (fault?.message ?? allRefused?.meaning);
  return (
    <span>
      <State of={condition} />
      {why && (
        <span class="under why" title={why}>
          {why}
        </span>
      )}
    </span>
  );
}

/** The last seven days of a source, read together with those of its neighbours. */
function LazyStrip({ rows, row }: { rows: readonly SourceLine[]; row: SourceLine }): ComponentChild {
  const at = rows.indexOf(row);
  const begin = at - (at % LOT);
  const sources = rows
    .slice(begin, begin + LOT)
    .map(keyOfSource)
    .join(',');
  const { answer } = useAnswer('listCoverage', { query: { sources } }, STRIPS_MS);
  const found = answer?.sources.find(
    ({ name, organisation }) => name === row.name && organisation === row.organisation,
  );
  if (!found?.strip) return <span class="strip" />;
  return <Strip states={found.strip.states} label={t.stripOf(row.name)} />;
}

const actions: Column<SourceLine> = {
  title: t.actions,
  kind: 'actions',
  isSilent: true,
  cell: ({ organisation, name, state }) => {
    const params = { organisation, name };
    const act = (what: 'pauseSource' | 'resumeSource' | 'pollSource', said: string) => () =>
      done(ask(what, { params }), said);
    return (
      <Menu
        label={t.actionsOf(name)}
        items={[
          state === 'active' && { title: t.poll, icon: RefreshCw, act: act('pollSource', t.polled(name)) },
          state === 'active' && { title: t.pause, icon: Pause, act: act('pauseSource', t.paused(name)) },
          state !== 'active' && { title: t.resume, icon: Play, act: act('resumeSource', t.resumed(name)) },
        ]}
      />
    );
  },
};
