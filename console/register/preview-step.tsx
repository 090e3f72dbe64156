import { Wand } from 'lucide';
import type { ComponentChild } from 'preact';
import { useState } from 'preact/hooks';
import { useAnswer } from '../client/answers.ts';
import { Button } from '../parts/button.tsx';
import { Card, Notice } from '../parts/page.tsx';
import { say } from '../parts/toast.tsx';
import { Preview } from '../trial/preview.tsx';
import type { Previewed } from '../trial/preview.tsx';
import { texts } from '../texts.ts';
import { parsed, setDraft, useDraft, withField } from './draft.ts';
import { propertiesFor } from './schema.ts';
import type { FieldSchema } from './schema.ts';
import { StepButtons } from './step-buttons.tsx';
import type { StepProps } from './step-buttons.tsx';

const t = texts.register;

/** What would be stored and refused, with fixes that take one click. */
export function PreviewStep({ next, back }: StepProps): ComponentChild {
  const draft = useDraft();
  const [seen, see] = useState<Previewed>();
  const fixes = useFixes(seen);
  return (
    <>
      <Card title={t.steps.preview} isText>
        <div class="stack">
          <p class="quiet">{t.previewAbout}</p>
          {fixes.map(({ path, value, title }) => (
            <Notice
              key={title}
              tone="warn"
              actions={
                <Button
                  icon={Wand}
                  act={() => {
                    setDraft({ ...draft, yaml: withField(draft.yaml, path, value) });
                    say(t.fixed(path.join('.')));
                  }}
                >
                  {t.fix}
                </Button>
              }
            >
              {title}
            </Notice>
          ))}
          <Preview of={{ yaml: draft.yaml }} seen={see} />
        </div>
      </Card>
      <StepButtons next={next} back={back} />
    </>
  );
}

/** The fields that would mend refusals of the preview, where the platform has them and they are not set. */
function useFixes(seen: Previewed | undefined): readonly { path: readonly string[]; value: unknown; title: string }[] {
  const { platform = '', yaml } = useDraft();
  const { answer: guide } = useAnswer('getPlatformGuide', { params: { name: platform } });
  if (seen === undefined || guide === undefined) return [];
  const { values } = parsed(yaml);
  if (values === undefined) return [];
  const properties = propertiesFor(JSON.parse(guide.schema) as FieldSchema, values);
  const all = [
    { reasons: ['boolean'], path: ['mapping', 'booleans'], value: 'number', title: t.fixBooleans },
    { reasons: ['not-a-number'], path: ['options', 'skipStringFields'], value: true, title: t.fixTexts },
  ];
  return all.filter(
    ({ reasons, path: [part = '', field = ''], value }) =>
      reasons.some((reason) => seen.refused[reason]) &&
      properties[part]?.properties?.[field] !== undefined &&
      (values[part] as Record<string, unknown> | undefined)?.[field] !== value,
  );
}
