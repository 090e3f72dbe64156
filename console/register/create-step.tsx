import { Plus } from 'lucide';
import type { ComponentChild } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { changed } from '../client/answers.ts';
import { ask } from '../client/api.ts';
import type { Applied } from '../client/operations.ts';
import { go } from '../client/route.ts';
import { Button } from '../parts/button.tsx';
import { Late, useAction } from '../parts/dialog.tsx';
import { Card, Skeleton, Trouble } from '../parts/page.tsx';
import { say } from '../parts/toast.tsx';
import { Difference } from '../source/difference.tsx';
import { texts } from '../texts.ts';
import { setDraft, useDraft } from './draft.ts';

const t = texts.register;

/** What will be created, and the button that does it; the page of the source follows. */
export function CreateStep({ back, edit }: { back: (() => void) | undefined; edit: () => void }): ComponentChild {
  const { yaml } = useDraft();
  const [offered, offer] = useState<Applied>();
  const compare = useAction(async () => offer(await ask('applySource', { query: { dryRun: 'true' }, body: yaml })));
  const create = useAction(async () => {
    const { organisation, name } = await ask('applySource', { query: {}, body: yaml }, { ifNone: true });
    say(t.created(name));
    setDraft({ platform: undefined, yaml: '' });
    changed(['listSources', 'getOverview']);
    go(['sources', organisation, name]);
  });
  useEffect(() => void compare.submit(), []);
  const refusal = compare.refusal ?? create.refusal;
  return (
    <>
      <Card title={offered ? t.create(offered.name) : t.steps.create} isText>
        {offered ? <Difference of={offered} /> : !refusal && <Skeleton rows={4} />}
        <Late of={create} />
        {refusal && <Trouble refusal={refusal} again={edit} />}
      </Card>
      <p class="quiet">{t.createAbout}</p>
      <div class="step-buttons">
        {back && <Button act={back}>{t.back}</Button>}
        <Button
          look="main-one"
          icon={Plus}
          isBusy={create.isBusy}
          act={create.submit}
          why={offered === undefined ? texts.loading : offered.action === 'created' ? undefined : t.exists}
        >
          {t.createVerb}
        </Button>
      </div>
    </>
  );
}
