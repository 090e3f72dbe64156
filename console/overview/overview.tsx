import { CircleCheck } from 'lucide';
import type { ComponentChild } from 'preact';
import { useAnswer } from '../client/answers.ts';
import type { Overview as Answered } from '../client/operations.ts';
import { hrefOf } from '../client/route.ts';
import { bytesOf, lengthOf, numberOf } from '../client/zone.ts';
import { Awaited, Card, Empty, Figures, Notice, Page } from '../parts/page.tsx';
import { State } from '../parts/state.tsx';
import { RegisterLink } from '../parts/register-link.tsx';
import { texts } from '../texts.ts';
import { FirstSource } from './first-source.tsx';
import { RunningBackfills } from './running-backfills.tsx';
import { Troubles } from './troubles.tsx';

const t = texts.overview;

/** How often the overview is read; the bridge computes it once in three seconds for all viewers, ms. */
const EVERY_MS = 4_000;

/** The order of the states: what needs an operator comes first. */
const CONDITIONS = ['stopped', 'failing', 'behind', 'silent', 'starting', 'paused', 'well'] as const;

export function Overview(): ComponentChild {
  const shown = useAnswer('getOverview', {}, EVERY_MS);
  const { answer } = shown;
  return (
    <Page
      title={texts.nav.overview}
      beside={answer && !shown.refusal && <State of={answer.state} word={t.verdicts[answer.state]} />}
      // The page of an empty bridge has the button in its middle.
      actions={answer?.sources !== 0 && <RegisterLink />}
    >
      <Awaited of={shown} rows={8}>
        {(overview) => <Content overview={overview} />}
      </Awaited>
    </Page>
  );
}

function Content({ overview }: { overview: Answered }): ComponentChild {
  const { conditions, sources, troubles, troublesInAll, verdict } = overview;
  if (sources === 0) {
    return (
      <>
        {troubles.length > 0 && <Troubles troubles={troubles} inAll={troublesInAll} />}
        <Card>
          <FirstSource />
        </Card>
      </>
    );
  }
  return (
    <>
      <nav class="chips" aria-label={t.byState}>
        <a class="chip" href={hrefOf(['sources'])}>
          <b>{numberOf(sources)}</b> {t.sources(sources)}
        </a>
        {CONDITIONS.filter((state) => conditions[state]).map((state) => (
          <a key={state} class="chip" href={hrefOf(['sources'], { state })}>
            <State of={state} word="" />
            <b>{numberOf(conditions[state] ?? 0)}</b> {texts.states[state]}
          </a>
        ))}
      </nav>
      {troubles.length === 0 ? (
        <Card>
          <Empty icon={CircleCheck} title={t.allWell}>
            {verdict}
          </Empty>
        </Card>
      ) : (
        <Troubles troubles={troubles} inAll={troublesInAll} />
      )}
      <RunningBackfills />
      <Machine overview={overview} />
    </>
  );
}

/** The planner, the workers and the work that waits. */
function Machine({ overview: { workers, work, disks, plannerAgeSeconds } }: { overview: Answered }): ComponentChild {
  const full = disks?.filter(({ free, size }) => free < size / 10);
  return (
    <Card title={t.machine} isText>
      <div class="stack">
        <Figures
          of={[
            [t.planner, plannerAgeSeconds === null ? t.plannerNever : texts.ago(lengthOf(plannerAgeSeconds))],
            [t.workers, numberOf(workers.length)],
            [t.duePolls, numberOf(work.due.poll)],
            [t.dueHistory, numberOf(work.due.history)],
            [t.dueLooks, numberOf(work.due.look)],
            [t.outbox, t.readings(numberOf(work.outbox.waiting))],
            ...(disks ?? []).map(
              ({ host, free, size }) => [t.disk(host), t.diskFree(bytesOf(free), bytesOf(size))] as const,
            ),
          ]}
        />
        {full?.map(({ host, free }) => (
          <Notice key={host} tone="warn">
            {t.diskFull(host, bytesOf(free))}
          </Notice>
        ))}
      </div>
    </Card>
  );
}
