import type { ComponentChild } from 'preact';
import { useAnswer } from '../client/answers.ts';
import { hrefOf } from '../client/route.ts';
import { lengthOf, numberOf, shareOf } from '../client/zone.ts';
import { Card } from '../parts/page.tsx';
import { Progress, Range } from '../parts/time.tsx';
import { Table } from '../parts/table.tsx';
import { texts } from '../texts.ts';

const t = texts.backfills;

/** Events tell of progress; times that are left change without one, ms. */
const EVERY_MS = 15_000;

/** The backfills that run; nothing where there are none. */
export function RunningBackfills(): ComponentChild {
  const { answer } = useAnswer('listBackfills', { query: { state: 'running', limit: 5 } }, EVERY_MS);
  if (answer === undefined || answer.items.length === 0) return null;
  return (
    <Card title={t.running} actions={<a href={hrefOf(['backfills'])}>{t.all}</a>}>
      <Table
        label={t.running}
        rows={answer.items}
        keyOf={({ id }) => id}
        columns={[
          {
            title: t.source,
            kind: 'name',
            cell: ({ source, organisation }) => <a href={hrefOf(['sources', organisation, source])}>{source}</a>,
          },
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
          { title: t.readings, kind: 'number', cell: ({ readings }) => numberOf(readings) },
          {
            title: t.left,
            kind: 'number',
            cell: ({ speed, waits }) => waits ?? (speed?.leftSeconds ? lengthOf(speed.leftSeconds.expected) : '–'),
          },
        ]}
      />
    </Card>
  );
}
