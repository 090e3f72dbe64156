import type { ComponentChild } from 'preact';
import { useState } from 'preact/hooks';
import type { Coverage } from '../client/operations.ts';
import { lengthOf, momentOf } from '../client/zone.ts';
import { Button } from '../parts/button.tsx';
import { runsOf } from '../parts/cell-states.ts';
import type { CellState } from '../parts/cell-states.ts';
import type { Selection } from '../parts/heat-map/selection.ts';
import { Table } from '../parts/table.tsx';
import { texts } from '../texts.ts';

const t = texts.coverage;

interface TableProps {
  readonly streams: Coverage['streams'];
  readonly edges: readonly number[];
  readonly select: (selection: Selection) => void;
}

/** Drawn at a time. */
const ROWS = 200;

/** The picture as a table: one row for each stretch with one state. */
export function CoverageTable({ streams, edges, select }: TableProps): ComponentChild {
  const [most, setMost] = useState(ROWS);
  const rows = streams.flatMap(({ key, states }) =>
    runsOf(states)
      .filter(({ state }) => state !== 'b' && state !== 'n')
      .map(({ state, at, count }) => ({ key, state, from: edges[at] ?? 0, to: edges[at + count] ?? 0 })),
  );
  return (
    <Table
      label={t.title}
      rows={rows.slice(0, most)}
      keyOf={({ key, from }) => `${key} ${from}`}
      more={rows.length > most ? () => setMost(most + ROWS) : undefined}
      columns={[
        { title: t.stream, kind: 'name', cell: ({ key }) => <bdi class="mono">{key}</bdi> },
        { title: t.from, cell: ({ from }) => momentOf(from) },
        { title: t.to, cell: ({ to }) => momentOf(to) },
        { title: t.length, kind: 'number', cell: ({ from, to }) => lengthOf((to - from) / 1_000) },
        { title: t.state, cell: ({ state }) => <CellWord state={state} /> },
        {
          title: t.select,
          kind: 'actions',
          isSilent: true,
          cell: ({ key, from, to }) => (
            <Button isSmall look="plain" act={() => select([{ from, to, streams: [key] }])}>
              {t.select}
            </Button>
          ),
        },
      ]}
    />
  );
}

const CellWord = ({ state }: { state: CellState }): ComponentChild => (
  <span class="state">
    <svg width="14" height="12" aria-hidden="true">
      <rect class={`cell-${state}`} width="14" height="12" rx="2" stroke="var(--line-strong)" stroke-width="0.5" />
    </svg>
    {texts.cells[state]}
  </span>
);
