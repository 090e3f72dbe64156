import type { ComponentChild } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import { useAnswer } from '../client/answers.ts';
import { ask } from '../client/api.ts';
import { CodeEditor } from '../parts/code-editor.tsx';
import { Late, useAction } from '../parts/dialog.tsx';
import { Card, Skeleton, Trouble } from '../parts/page.tsx';
import { flawsOf } from '../source/flaws.ts';
import { texts } from '../texts.ts';
import { parsed, setDraft, useDraft, withField } from './draft.ts';
import type { Values } from './draft.ts';
import type { FieldSchema } from './schema.ts';
import { SourceForm } from './source-form.tsx';
import { StepButtons } from './step-buttons.tsx';
import type { StepProps } from './step-buttons.tsx';

const t = texts.register;

/** The form with its YAML beside it: either may be edited. Going on asks the bridge whether it is a source. */
export function FormStep({ next, back }: StepProps): ComponentChild {
  const draft = useDraft();
  const { platform = '', yaml } = draft;
  const { answer: guide, refusal: unguided, again } = useAnswer('getPlatformGuide', { params: { name: platform } });
  const schema = useMemo(() => (guide === undefined ? undefined : (JSON.parse(guide.schema) as FieldSchema)), [guide]);
  const { values, flaw, isTooLong } = useMemo(() => parsed(yaml), [yaml]);
  // The form stays as it is while the text is written and no YAML at present; what is typed in it then would come nowhere.
  const shown = useRef<Values>({});
  if (values) shown.current = values;
  const [isNewProject, setNewProject] = useState(false);
  const action = useAction(async () => {
    if (isNewProject && typeof values?.['project'] === 'string')
      await ask('createProject', { body: { code: values['project'] } });
    await ask('applySource', { query: { dryRun: 'true' }, body: yaml });
  }, next);
  const { submit, refusal, isBusy } = action;
  if (schema === undefined)
    return unguided ? <Trouble refusal={unguided} again={again} /> : <Skeleton rows={10} again={again} />;
  const set = (path: readonly string[], value: unknown): void =>
    setDraft({ ...draft, yaml: withField(yaml, path, value) });
  const flaws = flaw === undefined ? flawsOf(refusal, yaml) : [flaw];
  const lacksProject = refusal?.problem.errors?.some(({ pointer }) => pointer.endsWith('project')) ?? false;
  return (
    <>
      <div class="two">
        <Card title={t.form} isText>
          {isTooLong ? (
            <p class="quiet">{t.tooLong}</p>
          ) : (
            <SourceForm
              schema={schema}
              values={shown.current}
              isClosed={values === undefined}
              set={set}
              refusal={refusal}
              parts={['basics', 'connection', 'options', 'schedule', 'pace']}
            />
          )}
          {(lacksProject || isNewProject) && (
            <label class="choice">
              <input type="checkbox" checked={isNewProject} onChange={() => setNewProject(!isNewProject)} />
              <span>{t.newProject}</span>
            </label>
          )}
        </Card>
        <Card title={t.yaml} isText>
          <CodeEditor label={t.yaml} value={yaml} set={(text) => setDraft({ ...draft, yaml: text })} flaws={flaws} />
        </Card>
      </div>
      {refusal && flaws.length === 0 && <Trouble refusal={refusal} />}
      <Late of={action} />
      <StepButtons next={() => void submit()} back={back} why={flaw?.text ?? (isBusy ? texts.loading : undefined)} />
    </>
  );
}
