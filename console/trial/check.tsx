import { CircleCheck, CircleDashed, CircleX, TriangleAlert } from 'lucide';
import type { IconNode } from 'lucide';
import type { ComponentChild } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { lines } from '../client/api.ts';
import { Refusal } from '../client/api.ts';
import { lengthOf, numberOf } from '../client/zone.ts';
import { Icon } from '../parts/icon.tsx';
import { Skeleton, Trouble } from '../parts/page.tsx';
import { texts } from '../texts.ts';
import './trial.css';

const t = texts.check;

interface Step {
  readonly step: string;
  readonly ok: boolean | null;
  readonly detail: string;
  readonly warning?: boolean;
  readonly fault?: { readonly message: string; readonly remedy: string | null };
}

interface Result {
  readonly ok: boolean;
  readonly requests: number;
  readonly sharesPace: boolean;
  readonly tookSeconds: number;
}

/** The source that is tried: one that is registered, or the text of one. */
export type Tried = { readonly organisation: string; readonly name: string } | { readonly yaml: string };

const linesOf = (tried: Tried, signal: AbortSignal) =>
  'yaml' in tried
    ? lines('checkDocument', { query: {}, body: tried.yaml }, { signal })
    : lines('checkSource', { params: tried, query: {} }, { signal });

/** A check, step by step as the daemon makes it. It begins when it is shown, and again with another `turn`. */
export function Check({
  of,
  turn,
  ended,
}: {
  of: Tried;
  turn: number;
  ended?: (isOk: boolean) => void;
}): ComponentChild {
  const [steps, setSteps] = useState<readonly Step[]>([]);
  const [result, setResult] = useState<Result>();
  const [refusal, setRefusal] = useState<Refusal>();
  const tell = useRef(ended);
  tell.current = ended;
  useEffect(() => {
    const leaving = new AbortController();
    setSteps([]);
    setResult(undefined);
    setRefusal(undefined);
    const run = async (): Promise<void> => {
      for await (const { step, result: end } of linesOf(of, leaving.signal)) {
        if (step !== undefined) setSteps((before) => [...before, step as Step]);
        if (end !== undefined) {
          setResult(end as Result);
          tell.current?.((end as Result).ok);
        }
      }
    };
    run().catch((error: unknown) => {
      if (leaving.signal.aborted) return;
      setRefusal(error instanceof Refusal ? error : new Refusal(0, { title: String(error) }));
      tell.current?.(false);
    });
    return () => leaving.abort();
  }, [turn]);
  return (
    <div class="stack" aria-live="polite">
      <ol class="steps">
        {steps.map((step) => (
          <StepLine key={step.step} of={step} />
        ))}
        {result === undefined && refusal === undefined && (
          <li>
            <Icon of={CircleDashed} />
            <span class="quiet">{t.working}</span>
          </li>
        )}
      </ol>
      {refusal && <Trouble refusal={refusal} />}
      {result && (
        <p class="quiet">
          {t.took(numberOf(result.requests), lengthOf(result.tookSeconds))}{' '}
          {result.sharesPace ? t.sharesPace : t.ownPace}
        </p>
      )}
      {steps.length === 0 && refusal === undefined && <Skeleton rows={3} />}
    </div>
  );
}

function StepLine({ of: { step, ok, detail, warning, fault } }: { of: Step }): ComponentChild {
  const [icon, look]: readonly [IconNode, string] =
    ok === null
      ? [CircleDashed, 'calm']
      : !ok
        ? [CircleX, 'bad']
        : warning
          ? [TriangleAlert, 'warn']
          : [CircleCheck, 'good'];
  return (
    <li class={look}>
      <Icon of={icon} />
      <span class="strong">{t.steps[step as keyof typeof t.steps] ?? step}</span>
      <span>
        {fault?.message ?? detail}
        {fault?.remedy && <span class="under quiet">{fault.remedy}</span>}
      </span>
    </li>
  );
}
