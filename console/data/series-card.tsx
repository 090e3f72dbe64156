import { Download } from 'lucide';
import type { ComponentChild } from 'preact';
import { useMemo } from 'preact/hooks';
import { useAnswer } from '../client/answers.ts';
import { bridgeNow } from '../client/api.ts';
import { adjust, useRoute } from '../client/route.ts';
import { momentOf, numberOf, useZone, valueOf } from '../client/zone.ts';
import { Button } from '../parts/button.tsx';
import { Select } from '../parts/field.tsx';
import { LineChart } from '../parts/line-chart.tsx';
import { Card, Skeleton, Trouble } from '../parts/page.tsx';
import { Table } from '../parts/table.tsx';
import { complain, say } from '../parts/toast.tsx';
import { texts } from '../texts.ts';
import { downloadCsv } from './csv.ts';

const t = texts.data;

const SPANS = { '15m': 900, '1h': 3_600, '6h': 21_600, '1d': 86_400, '7d': 604_800, '30d': 2_592_000 } as const;
type Span = keyof typeof SPANS;
const BINS = 400;
const ROWS = 50;

interface SeriesProps {
  readonly params: { readonly organisation: string; readonly code: string };
  readonly sensorId: string;
  readonly valueName: string;
}

/** A series in equal parts of a range: its line, and the same as a table. */
export function SeriesCard({ params, sensorId, valueName }: SeriesProps): ComponentChild {
  const { query } = useRoute();
  const zone = useZone();
  const span: Span = Object.hasOwn(SPANS, query['span'] ?? '') ? (query['span'] as Span) : '1h';
  // The range moves on in steps, so that the answer is found again.
  const step = Math.max(5, SPANS[span] / BINS);
  const end = Math.ceil(bridgeNow() / 1_000 / step) * step;
  const range = useMemo(
    () => ({ from: iso(end - SPANS[span]), to: iso(end) }),
    // A chart that is read stands still for a while.
    [span, Math.floor(end / (step * 4))],
  );
  const { answer, refusal, again } = useAnswer('readBins', {
    params,
    query: { sensorId, valueName, bins: BINS, ...range },
  });
  const table = useMemo(() => {
    if (answer === undefined) return undefined;
    const [from, to] = [Date.parse(answer.from) / 1_000, Date.parse(answer.to) / 1_000];
    const length = (to - from) / answer.bins;
    const items = answer.items.map((item) => ({ ...item, at: (from + (item.bin + 0.5) * length) * 1_000 }));
    return { ...columnsOf(items, length), items };
  }, [answer, zone]);
  const tools = (
    <>
      <Select
        label={texts.coverage.span}
        isSilent
        value={span}
        set={(key) => adjust({ span: key })}
        options={(Object.keys(SPANS) as Span[]).map((key) => [key, t.spans[key]])}
      />
      <Button
        icon={Download}
        act={async () => {
          try {
            const { rows, isCut } = await downloadCsv(
              { params, query: { ...range, sensor: sensorId } },
              `${sensorId}.csv`,
            );
            say(t.csvRows(numberOf(rows)), isCut ? t.csvCut : undefined);
          } catch (error) {
            complain(error);
          }
        }}
      >
        {t.csv}
      </Button>
    </>
  );
  return (
    <div class="stack">
      <Card title={t.titleOf(sensorId, valueName)} actions={tools} isText>
        {refusal && <Trouble refusal={refusal} again={again} />}
        {table === undefined ? (
          !refusal && <Skeleton rows={9} again={again} />
        ) : (
          <div class="stack tight">
            <p class="small quiet">{t.axis(zone)}</p>
            <LineChart label={t.chartOf(sensorId)} {...table} names={[t.at, t.min, t.mean, t.max]} />
          </div>
        )}
      </Card>
      {table && table.items.length > 0 && (
        <Card title={t.table}>
          <Table
            label={t.table}
            rows={table.items.slice(-ROWS).toReversed()}
            keyOf={({ bin }) => bin}
            columns={[
              { title: t.at, kind: 'name', cell: ({ at }) => momentOf(at) },
              { title: t.mean, kind: 'number', cell: ({ mean }) => valueOf(mean) },
              { title: t.min, kind: 'number', cell: ({ min }) => valueOf(min) },
              { title: t.max, kind: 'number', cell: ({ max }) => valueOf(max) },
              { title: t.readings, kind: 'number', cell: ({ count }) => numberOf(count) },
            ]}
          />
        </Card>
      )}
    </div>
  );
}

interface Part {
  readonly at: number;
  readonly min: number;
  readonly mean: number;
  readonly max: number;
}

/** The line is broken where so many times the usual distance has no reading. */
const BREAK = 4;

/** The columns of the chart: a part without readings is left out, and a long stretch of them breaks the line. */
function columnsOf(items: readonly Part[], length: number) {
  const columns: Record<'at' | 'min' | 'mean' | 'max', (number | null)[]> = { at: [], min: [], mean: [], max: [] };
  const steps = items.slice(1).map(({ at }, before) => at - (items[before]?.at ?? 0));
  const usual = steps.toSorted((one, other) => one - other)[Math.floor(steps.length / 2)] ?? length * 1_000;
  const add = (at: number, part?: Part): void => {
    columns.at.push(at / 1_000);
    for (const key of ['min', 'mean', 'max'] as const) columns[key].push(part?.[key] ?? null);
  };
  for (const [index, part] of items.entries()) {
    if ((steps[index - 1] ?? 0) > BREAK * usual) add(part.at - usual);
    add(part.at, part);
  }
  return { ...columns, at: columns.at as number[] };
}

const iso = (seconds: number): string => new Date(seconds * 1_000).toISOString();
