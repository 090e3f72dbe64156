import type { ComponentChild } from 'preact';
import { Button } from '../parts/button.tsx';
import { texts } from '../texts.ts';

export interface StepProps {
  readonly next: () => void;
  readonly back: (() => void) | undefined;
}

/** Back and on; they stay in sight. */
export const StepButtons = ({ next, back, why }: StepProps & { why?: string | undefined }): ComponentChild => (
  <div class="step-buttons">
    {back && <Button act={back}>{texts.register.back}</Button>}
    <Button look="main-one" act={next} why={why}>
      {texts.register.next}
    </Button>
  </div>
);
