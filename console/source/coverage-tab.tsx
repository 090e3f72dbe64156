import { ArrowRightToLine, Grid3x3, Table2 } from 'lucide';
import type { ComponentChild } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { bridgeNow } from '../client/api.ts';
import type { Coverage, Source } from '../client/operations.ts';
import { adjust, useRoute } from '../client/route.ts';
import { useRole } from '../client/session.ts';
import { lengthOf, useZone } from '../client/zone.ts';
import { Button } from '../parts/button.tsx';
import { cellsOf } from '../parts/cell-states.ts';
import { Select } from '../parts/field.tsx';
import { HeatMap, cellText } from '../parts/heat-map/heat-map.tsx';
import type { Cell } from '../parts/heat-map/heat-map.tsx';
import type { Selection } from '../parts/heat-map/selection.ts';
import { Card, Empty, Figures, Skeleton, Trouble } from '../parts/page.tsx';
import { StripLegend } from '../parts/strip.tsx';
import { texts } from '../texts.ts';
import { CoverageTable } from './coverage-table.tsx';
import { SelectionCard } from './selection-card.tsx';
import { SPANS, rangeOf } from './spans.ts';
import { useCoverage } from './use-coverage.ts';

const t = texts.coverage;

/** The coverage of a source: rows are streams, columns are bins of time in the viewer's zone. */
export function CoverageTab({ source }: { source: Source }): ComponentChild {
  const { query } = useRoute();
  const zone = useZone();
  const { mayChange } = useRole();
  const span = SPANS.find(({ key }) => key === query['span']) ?? SPANS[1];
  // The range moves on with each bin, and not with each drawing.
  const range = rangeOf(span, zone, bridgeNow(), query['to']);
  const params = { organisation: source.organisation, name: source.name };
  const { coverage, streams, refusal, again, more } = useCoverage(params, range.query);
  const [selection, select] = useState<Selection>([]);
  const [cursor, move] = useState<Cell>();
  const edges = useMemo(() => (coverage?.edges ?? []).map((edge) => Date.parse(edge)), [coverage]);
  const isTable = query['as'] === 'table';

  useEffect(() => move(undefined), [span.key, query['to']]);

  function findGap(): void {
    const found = nextGap(streams, edges.length - 1, cursor);
    if (found !== undefined) move(found);
    else adjust({ span: SPANS[Math.min(SPANS.length - 1, SPANS.indexOf(span) + 1)]?.key, to: undefined });
  }

  const tools = (
    <>
      <Button icon={ArrowRightToLine} act={findGap}>
        {t.nextGap}
      </Button>
      <Select
        label={t.span}
        isSilent
        value={span.key}
        set={(key) => adjust({ span: key, to: undefined })}
        options={SPANS.map(({ key }) => [key, t.spans[key]])}
      />
      <Button icon={isTable ? Grid3x3 : Table2} act={() => adjust({ as: isTable ? undefined : 'table' })}>
        {isTable ? t.asPicture : t.asTable}
      </Button>
    </>
  );
  return (
    <>
      {refusal && <Trouble refusal={refusal} again={again} />}
      <Card title={t.title} beside={<span class="small quiet">{zone}</span>} actions={streams.length > 0 && tools}>
        {coverage === undefined ? (
          !refusal && <Skeleton again={again} />
        ) : streams.length === 0 ? (
          <Empty icon={Grid3x3} title={t.noStreams}>
            {source.condition === 'stopped' || source.condition === 'failing' ? t.noStreamsTrouble : t.noStreamsAbout}
          </Empty>
        ) : (
          <div class="body stack">
            {isTable ? (
              <CoverageTable streams={streams} edges={edges} select={select} />
            ) : (
              <HeatMap {...{ streams, edges, selection, select, cursor, move, more }} open={move} />
            )}
            <StripLegend />
            {cursor && streams[cursor.row] && !isTable && <CellLine cell={cursor} streams={streams} edges={edges} />}
            <Sums streams={streams} />
          </div>
        )}
      </Card>
      {selection.length > 0 && <SelectionCard {...{ source, selection, select, mayChange }} />}
    </>
  );
}

type Streams = Coverage['streams'];

/** The next bin that is missing or cannot be read, column by column; undefined where none follows in sight. */
function nextGap(streams: Streams, columns: number, cursor: Cell | undefined): Cell | undefined {
  const cells = streams.map(({ states }) => cellsOf(states));
  const rows = cells.length;
  const begin = cursor === undefined ? 0 : cursor.column * rows + cursor.row + 1;
  for (let at = begin; at < rows * columns; at += 1) {
    const [row, column] = [at % rows, Math.floor(at / rows)];
    const state = cells[row]?.[column];
    const isNew = cells[row]?.[column - 1] !== state || column === cursor?.column;
    if ((state === 'm' || state === 'f') && isNew) return { row, column };
  }
  return undefined;
}

/** The cell of the cursor in words, with its windows at hand. */
function CellLine({
  cell,
  streams,
  edges,
}: {
  cell: Cell;
  streams: Streams;
  edges: readonly number[];
}): ComponentChild {
  const stream = streams[cell.row];
  if (stream === undefined) return null;
  return (
    <p class="row wrap apart">
      <span>{cellText({ key: stream.key, cells: cellsOf(stream.states) }, edges, cell.column)}</span>
      <a
        href={`#windows`}
        onClick={(event) => {
          event.preventDefault();
          adjust({ tab: 'windows', stream: stream.key });
        }}
      >
        {t.windowsBehind}
      </a>
    </p>
  );
}

function Sums({ streams }: { streams: Streams }): ComponentChild {
  const sum = (of: (stream: Streams[number]) => number): number => streams.reduce((all, stream) => all + of(stream), 0);
  return (
    <Figures
      of={[
        [t.covered, lengthOf(sum((one) => one.coveredSeconds))],
        [t.missing, lengthOf(sum((one) => one.missingSeconds))],
        [t.asking, lengthOf(sum((one) => one.askingSeconds))],
        [t.unreadable, lengthOf(sum((one) => one.failedSeconds))],
      ]}
    />
  );
}
