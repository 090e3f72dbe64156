import { History, RotateCcw } from 'lucide';
import type { ComponentChild } from 'preact';
import { useState } from 'preact/hooks';
import { changed } from '../client/answers.ts';
import { ask } from '../client/api.ts';
import type { Former, Source } from '../client/operations.ts';
import { useList } from '../client/pages.ts';
import { useRole } from '../client/session.ts';
import { momentOf } from '../client/zone.ts';
import { Button } from '../parts/button.tsx';
import { CodeEditor } from '../parts/code-editor.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Card, Empty, Skeleton, Trouble } from '../parts/page.tsx';
import { Table } from '../parts/table.tsx';
import { Moment } from '../parts/time.tsx';
import { say } from '../parts/toast.tsx';
import { texts } from '../texts.ts';
import { ApplyDialog } from './apply-dialog.tsx';

const t = texts.history;

/** The former configurations of a source, each of which can be restored. */
export function HistoryTab({ source }: { source: Source }): ComponentChild {
  const { organisation, name, revision, revisionTag } = source;
  const params = { organisation, name };
  const list = useList('listFormer', { params, query: { limit: 50 } }, ({ id }) => id);
  const { mayChange } = useRole();
  const [shown, show] = useState<Former>();
  const [offered, offer] = useState<{ former: Former; tag: string }>();
  // A source that was never changed has no former configuration, which the API answers as 404.
  const isNone = list.refusal?.status === 404 || list.items?.length === 0;
  return (
    <>
      {list.refusal && !isNone && <Trouble refusal={list.refusal} again={list.again} />}
      <Card title={t.title} beside={<span class="small quiet">{t.present(revision)}</span>}>
        {isNone ? (
          <Empty icon={History} title={t.none}>
            {t.noneAbout}
          </Empty>
        ) : list.items === undefined ? (
          <Skeleton rows={3} again={list.again} />
        ) : (
          <Table
            label={t.title}
            rows={list.items}
            keyOf={({ id }) => id}
            more={list.more}
            columns={[
              { title: t.ended, kind: 'name', cell: ({ endedAt }) => <Moment at={endedAt} /> },
              { title: t.by, cell: ({ endedBy }) => <span class="long">{endedBy.replace(/^operator:/, '')}</span> },
              { title: t.how, cell: ({ ending }) => t.endings[ending] },
              {
                title: t.actions,
                kind: 'actions',
                isSilent: true,
                cell: (former) => (
                  <div class="row">
                    <Button isSmall look="plain" act={() => show(former)}>
                      {t.show}
                    </Button>
                    {mayChange && (
                      <Button isSmall icon={RotateCcw} act={() => offer({ former, tag: revisionTag })}>
                        {t.restore}
                      </Button>
                    )}
                  </div>
                ),
              },
            ]}
          />
        )}
      </Card>
      {shown && (
        <Dialog title={t.shownTitle(momentOf(shown.endedAt))} isWide close={() => show(undefined)}>
          <CodeEditor label={t.title} value={shown.configLeftOut ? t.leftOut : JSON.stringify(shown.config, null, 2)} />
        </Dialog>
      )}
      {offered && (
        <ApplyDialog
          title={t.restoreTitle(momentOf(offered.former.endedAt))}
          verb={t.restore}
          source={source}
          tag={offered.tag}
          send={(query, ifMatch) =>
            ask(
              'restoreSource',
              { params, query: { ...query, former: offered.former.id } },
              { ifMatch: `"${ifMatch}"` },
            )
          }
          close={() => offer(undefined)}
          done={() => {
            say(t.restored(name));
            changed(['getSource', 'exportSource', 'listFormer']);
          }}
        />
      )}
    </>
  );
}
