import { GitCompare, PencilLine, PlugZap } from 'lucide';
import type { ComponentChild } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { changed, useAnswer } from '../client/answers.ts';
import { ask } from '../client/api.ts';
import type { Applied, Source } from '../client/operations.ts';
import { useRole } from '../client/session.ts';
import { Button } from '../parts/button.tsx';
import { CodeEditor } from '../parts/code-editor.tsx';
import { FormDialog, useAction } from '../parts/dialog.tsx';
import { Card, Notice, Skeleton, Trouble } from '../parts/page.tsx';
import { say } from '../parts/toast.tsx';
import { Check } from '../trial/check.tsx';
import { Preview } from '../trial/preview.tsx';
import { texts } from '../texts.ts';
import { Difference } from './difference.tsx';
import { flawsOf } from './flaws.ts';

const t = texts.configuration;

/** The configuration as YAML: edit, check, see the difference, apply. */
export function ConfigurationTab({ source }: { source: Source }): ComponentChild {
  const { organisation, name, revisionTag } = source;
  const params = { organisation, name };
  const { answer, refusal, again } = useAnswer('exportSource', { params, query: { secrets: 'hidden' } });
  const { mayChange } = useRole();
  const [edited, edit] = useState<{ yaml: string; tag: string }>();
  const [turn, setTurn] = useState(0);
  const [offered, offer] = useState<Applied>();
  const isChangedMeanwhile = edited !== undefined && edited.tag !== revisionTag;
  useEffect(() => {
    if (edited === undefined) changed(['exportSource']);
  }, [revisionTag]);
  const compare = useAction(async () => {
    if (edited) offer(await ask('applySource', { query: { dryRun: 'true' }, body: edited.yaml }));
  });
  if (answer === undefined) return refusal ? <Trouble refusal={refusal} again={again} /> : <Skeleton />;
  const yaml = edited?.yaml ?? answer.yaml;
  const flaws = flawsOf(compare.refusal, yaml);
  return (
    <>
      <Card
        title={t.title}
        actions={
          mayChange &&
          (edited === undefined ? (
            <>
              <Button icon={PlugZap} act={() => setTurn(turn + 1)}>
                {t.check}
              </Button>
              <Button icon={PencilLine} act={() => edit({ yaml: answer.yaml, tag: revisionTag })}>
                {t.edit}
              </Button>
            </>
          ) : (
            <>
              <Button act={() => edit(undefined)}>{t.discard}</Button>
              <Button icon={PlugZap} act={() => setTurn(turn + 1)}>
                {t.check}
              </Button>
              <Button icon={GitCompare} look="main-one" isBusy={compare.isBusy} act={compare.submit}>
                {t.compare}
              </Button>
            </>
          ))
        }
        isText
      >
        <div class="stack">
          {isChangedMeanwhile && (
            <Notice
              tone="warn"
              remedy={t.changedRemedy}
              actions={<Button act={() => edit({ ...edited, tag: revisionTag })}>{t.keepMine}</Button>}
            >
              {t.changedMeanwhile}
            </Notice>
          )}
          <CodeEditor
            label={t.title}
            value={yaml}
            {...(edited && { set: (text: string) => edit({ ...edited, yaml: text }) })}
            flaws={flaws}
          />
          {compare.refusal && flaws.length === 0 && <Trouble refusal={compare.refusal} />}
          {answer.yaml.includes('(secret)') && <p class="quiet">{t.secrets}</p>}
        </div>
      </Card>
      {turn > 0 && (
        <Card title={t.checkTitle} isText>
          <Check turn={turn} of={edited ? { yaml: edited.yaml } : params} />
        </Card>
      )}
      {mayChange && (
        <Card title={t.previewTitle} isText>
          <Preview of={edited ? { yaml: edited.yaml } : params} />
        </Card>
      )}
      {offered && edited && (
        <FormDialog
          title={t.applyTitle(name)}
          verb={t.apply}
          isWide
          why={isChangedMeanwhile ? t.changedMeanwhile : offered.action === 'unchanged' ? t.nothing : undefined}
          close={() => offer(undefined)}
          act={async () => {
            await ask('applySource', { query: {}, body: edited.yaml }, { ifMatch: `"${edited.tag}"` });
            say(t.applied(name));
            edit(undefined);
            changed(['getSource', 'exportSource', 'listFormer']);
          }}
        >
          <Difference of={offered} />
        </FormDialog>
      )}
    </>
  );
}
