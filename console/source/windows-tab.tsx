import { Layers } from 'lucide';
import type { ComponentChild } from 'preact';
import type { Source } from '../client/operations.ts';
import { useList } from '../client/pages.ts';
import { adjust, useRoute } from '../client/route.ts';
import { bytesOf, lengthOf, numberOf } from '../client/zone.ts';
import { Card, Empty, Skeleton, Trouble } from '../parts/page.tsx';
import { Table } from '../parts/table.tsx';
import { Ago, Range } from '../parts/time.tsx';
import { texts } from '../texts.ts';

const t = texts.windows;

/** The windows that were asked for, the newest first, with where their time went. */
export function WindowsTab({ source: { organisation, name } }: { source: Source }): ComponentChild {
  const list = useList(
    'listWindows',
    { params: { organisation, name }, query: { limit: 50 } },
    ({ askedAt, stream, from }) => `${askedAt} ${stream} ${from}`,
    5_000,
  );
  const { query } = useRoute();
  const stream = query['stream'];
  // A window of many streams has no stream of its own.
  const rows = list.items?.filter((row) => stream === undefined || row.stream === null || row.stream === stream);
  return (
    <>
      {list.refusal && <Trouble refusal={list.refusal} again={list.again} />}
      <Card
        title={t.title}
        actions={
          stream !== undefined && (
            <button type="button" class="chip" aria-pressed onClick={() => adjust({ stream: undefined })}>
              <span class="mono">{stream}</span>
            </button>
          )
        }
      >
        {rows === undefined ? (
          !list.refusal && <Skeleton again={list.again} />
        ) : rows.length === 0 && !list.more ? (
          <Empty icon={Layers} title={t.none}>
            {t.noneAbout}
          </Empty>
        ) : (
          <Table
            label={t.title}
            rows={rows}
            keyOf={({ askedAt, stream, from }) => `${askedAt} ${stream} ${from}`}
            more={list.more}
            columns={[
              {
                title: t.stream,
                kind: 'name',
                cell: ({ stream, lane }) => (
                  <>
                    <bdi class="mono">{stream ?? '–'}</bdi>
                    <span class="under">{t.lanes[lane]}</span>
                  </>
                ),
              },
              { title: t.range, cell: ({ from, to }) => <Range from={from} to={to} /> },
              { title: t.asked, kind: 'number', cell: ({ askedAt }) => <Ago at={askedAt} /> },
              {
                title: t.readings,
                kind: 'number',
                cell: ({ readings, refused, late }) => (
                  <span>
                    {numberOf(readings)}
                    {refused > 0 && <span class="under">{t.refused(numberOf(refused))}</span>}
                    {late > 0 && <span class="under">{t.late(numberOf(late))}</span>}
                  </span>
                ),
              },
              { title: t.bytes, kind: 'number', cell: ({ bytes }) => bytesOf(bytes) },
              {
                title: t.took,
                kind: 'number',
                cell: ({ waitedMs, httpMs, normaliseMs, storeMs, requests }) => (
                  <span title={t.phases(ms(waitedMs), ms(httpMs), ms(normaliseMs), ms(storeMs))}>
                    {ms(waitedMs + httpMs + normaliseMs + storeMs)}
                    <span class="under">{t.requests(numberOf(requests))}</span>
                  </span>
                ),
              },
            ]}
          />
        )}
      </Card>
    </>
  );
}

const ms = (count: number): string => (count < 1_000 ? `${numberOf(count)} ms` : lengthOf(count / 1_000));
