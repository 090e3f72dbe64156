import type { ComponentChild } from 'preact';
import { adjust, hrefOf, useRoute } from '../client/route.ts';
import { useRole } from '../client/session.ts';
import { Notice, Page } from '../parts/page.tsx';
import { texts } from '../texts.ts';
import { useDraft } from './draft.ts';
import { CheckStep } from './check-step.tsx';
import { CreateStep } from './create-step.tsx';
import { FormStep } from './form-step.tsx';
import { PlatformStep } from './platform-step.tsx';
import { PreviewStep } from './preview-step.tsx';
import { SensorsStep } from './sensors-step.tsx';
import './register.css';

const t = texts.register;

const STEPS = ['platform', 'form', 'check', 'sensors', 'preview', 'create'] as const;
export type StepName = (typeof STEPS)[number];

/** Registers a source: each step can be left and come back to, and nothing is stored before the last one. */
export function Register(): ComponentChild {
  const { query } = useRoute();
  const { mayChange } = useRole();
  const { platform } = useDraft();
  const wanted = STEPS.find((one) => one === query['step']) ?? 'platform';
  const step = platform === undefined ? 'platform' : wanted;
  const at = STEPS.indexOf(step);
  const go = (next: StepName): void => {
    adjust({ step: next });
    scrollTo({ top: 0 });
  };
  const next = (): void => go(STEPS[at + 1] ?? 'create');
  const back = at === 0 ? undefined : (): void => go(STEPS[at - 1] ?? 'platform');
  return (
    <Page title={t.title} above={{ title: texts.nav.sources, href: hrefOf(['sources']) }}>
      {!mayChange && <Notice tone="warn">{t.viewer}</Notice>}
      <ol class="way">
        {STEPS.map((one, index) => (
          <li key={one}>
            <button
              type="button"
              aria-current={one === step ? 'step' : undefined}
              disabled={platform === undefined && index > 0}
              onClick={() => go(one)}
            >
              <span class="count">{index + 1}</span>
              {t.steps[one]}
            </button>
          </li>
        ))}
      </ol>
      {step === 'platform' && <PlatformStep next={next} />}
      {step === 'form' && <FormStep next={next} back={back} />}
      {step === 'check' && <CheckStep next={next} back={back} />}
      {step === 'sensors' && <SensorsStep next={next} back={back} />}
      {step === 'preview' && <PreviewStep next={next} back={back} />}
      {step === 'create' && <CreateStep back={back} edit={() => go('form')} />}
    </Page>
  );
}
