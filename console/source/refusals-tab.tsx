import { CircleCheck, RotateCcw } from 'lucide';
import type { ComponentChild } from 'preact';
import { useState } from 'preact/hooks';
import { useAnswer } from '../client/answers.ts';
import { ask } from '../client/api.ts';
import type { Refusals, Source } from '../client/operations.ts';
import { adjust, useRoute } from '../client/route.ts';
import { useRole } from '../client/session.ts';
import { numberOf } from '../client/zone.ts';
import { Button } from '../parts/button.tsx';
import { FormDialog } from '../parts/dialog.tsx';
import { Card, Empty, Skeleton, Trouble } from '../parts/page.tsx';
import { reasonOf } from '../parts/reason.ts';
import { Table } from '../parts/table.tsx';
import { Moment, Range } from '../parts/time.tsx';
import { say } from '../parts/toast.tsx';
import { texts } from '../texts.ts';

const t = texts.refusals;

/** The points that may not become readings: why, of which sensors, when, and what to do. */
export function RefusalsTab({ source: { organisation, name } }: { source: Source }): ComponentChild {
  const params = { organisation, name };
  const sensor = useRoute().query['sensor'];
  const { answer, refusal, again } = useAnswer(
    'listRefusals',
    { params, query: { limit: 100, ...(sensor && { sensor }) } },
    10_000,
  );
  const [asked, setAsked] = useState<Refusals['reasons'][number]>();
  const { mayChange } = useRole();
  if (answer === undefined) return refusal ? <Trouble refusal={refusal} again={again} /> : <Skeleton again={again} />;
  const ofSensor = sensor && (
    <button type="button" class="chip" aria-pressed onClick={() => adjust({ sensor: undefined })}>
      <bdi class="mono">{sensor}</bdi>
    </button>
  );
  if (answer.reasons.length === 0) {
    return (
      <Card>
        <Empty icon={CircleCheck} title={t.none} action={ofSensor}>
          {sensor ? t.noneAboutSensor : t.noneAbout}
        </Empty>
      </Card>
    );
  }
  return (
    <>
      <Card title={t.byReason} actions={ofSensor}>
        <Table
          label={t.byReason}
          rows={answer.reasons}
          keyOf={({ reason }) => reason}
          columns={[
            {
              title: t.reason,
              kind: 'name',
              cell: ({ reason, meaning, remedy }) => (
                <>
                  <span class="strong">{reasonOf(reason)}</span>
                  <span class="under">{meaning}</span>
                  <span class="under">{remedy}</span>
                </>
              ),
            },
            { title: t.points, kind: 'number', cell: ({ refused }) => numberOf(refused) },
            { title: t.series, kind: 'number', cell: ({ series }) => numberOf(series) },
            { title: t.range, cell: ({ first, last }) => (first && last ? <Range from={first} to={last} /> : '–') },
            {
              title: t.askAgain,
              kind: 'actions',
              isSilent: true,
              cell: (row) =>
                mayChange &&
                row.first !== null && (
                  <Button icon={RotateCcw} isSmall act={() => setAsked(row)}>
                    {t.askAgain}
                  </Button>
                ),
            },
          ]}
        />
      </Card>
      <Card title={t.bySensor}>
        <Table
          label={t.bySensor}
          rows={answer.series}
          keyOf={({ sensor, variable, reason }) => `${sensor} ${variable} ${reason}`}
          columns={[
            {
              title: t.sensor,
              kind: 'name',
              cell: ({ sensor, variable }) => (
                <>
                  <bdi class="mono">{sensor}</bdi>
                  <bdi class="under mono">{variable}</bdi>
                </>
              ),
            },
            { title: t.reason, cell: ({ reason }) => reasonOf(reason) },
            { title: t.points, kind: 'number', cell: ({ refused }) => numberOf(refused) },
            { title: t.last, cell: ({ last }) => <Moment at={last} /> },
            {
              title: t.examples,
              cell: ({ examples }) => (
                <span class="row wrap">
                  {[...new Set(examples.map(({ raw }) => raw))].map((raw) => (
                    <code key={raw} dir="auto">
                      {raw}
                    </code>
                  ))}
                </span>
              ),
            },
          ]}
        />
      </Card>
      {asked?.first && asked.last && (
        <AskAgain
          params={params}
          first={asked.first}
          last={asked.last}
          reason={asked.reason}
          close={() => setAsked(undefined)}
        />
      )}
    </>
  );
}

interface AskAgainProps {
  readonly params: { readonly organisation: string; readonly name: string };
  readonly first: string;
  readonly last: string;
  readonly reason: string;
  readonly close: () => void;
}

/** After the fix the range of the refusals is asked again. */
function AskAgain({ params, first, last, reason, close }: AskAgainProps): ComponentChild {
  const body = { from: first, to: new Date(Date.parse(last) + 1).toISOString(), what: 'refused' } as const;
  const [quote, setQuote] = useState<string>();
  useState(() => {
    ask('quoteBackfill', { params, body }, { unattended: true }).then(
      ({ requests }) => setQuote(t.quoted(numberOf(requests.expected))),
      () => undefined,
    );
  });
  return (
    <FormDialog
      title={t.askAgainTitle(reasonOf(reason))}
      verb={t.askAgain}
      close={close}
      act={async () => {
        await ask('startBackfill', { params, body });
        say(texts.selection.started(1));
      }}
    >
      <p>{t.askAgainAbout}</p>
      <p>
        <Range from={first} to={last} />
      </p>
      <p class="quiet">{quote ?? texts.selection.quoting}</p>
    </FormDialog>
  );
}
