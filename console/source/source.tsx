import type { ComponentChild } from 'preact';
import { useAnswer } from '../client/answers.ts';
import { hrefOf } from '../client/route.ts';
import { Page, Skeleton, Trouble } from '../parts/page.tsx';
import { State } from '../parts/state.tsx';
import { texts } from '../texts.ts';

/** How often a source is read, ms. */
const EVERY_MS = 5_000;

export function SourcePage(params: { organisation: string; name: string }): ComponentChild {
  const { answer, refusal, again } = useAnswer('getSource', { params }, EVERY_MS);
  return (
    <Page
      title={params.name}
      above={{ title: texts.nav.sources, href: hrefOf(['sources']) }}
      beside={answer && <State of={answer.condition} />}
    >
      {refusal && <Trouble refusal={refusal} again={again} />}
      {answer === undefined && !refusal && <Skeleton />}
    </Page>
  );
}
