import { RefreshCw } from 'lucide';
import type { ComponentChild } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from '../parts/button.tsx';
import { Card } from '../parts/page.tsx';
import { Check } from '../trial/check.tsx';
import { texts } from '../texts.ts';
import { useDraft } from './draft.ts';
import { StepButtons } from './step-buttons.tsx';
import type { StepProps } from './step-buttons.tsx';

const t = texts.register;

/** Address, credentials, sensors and a window, asked by the bridge with its own secrets and pace. */
export function CheckStep({ next, back }: StepProps): ComponentChild {
  const { yaml } = useDraft();
  const [turn, setTurn] = useState(1);
  return (
    <>
      <Card
        title={t.steps.check}
        actions={
          <Button icon={RefreshCw} act={() => setTurn(turn + 1)}>
            {t.checkAgain}
          </Button>
        }
        isText
      >
        <Check of={{ yaml }} turn={turn} />
      </Card>
      <StepButtons next={next} back={back} />
    </>
  );
}
