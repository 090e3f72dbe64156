import { GitCompare, PencilLine, PlugZap } from 'lucide';
import type { ComponentChild } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { changed, useAnswer } from '../client/answers.ts';
import { ask } from '../client/api.ts';
import type { Source } from '../client/operations.ts';
import { useRole } from '../client/session.ts';
import { Button } from '../parts/button.tsx';
import { CodeEditor } from '../parts/code-editor.tsx';
import { useAction } from '../parts/dialog.tsx';
import { Card, Notice, Skeleton, Trouble } from '../parts/page.tsx';
import { complain, say } from '../parts/toast.tsx';
import { Check } from '../trial/check.tsx';
import { Preview } from '../trial/preview.tsx';
import { texts } from '../texts.ts';
import { ApplyDialog } from './apply-dialog.tsx';
import { flawsOf } from './flaws.ts';

const t = texts.configuration;

/** The configuration as YAML: edit, check, see the difference, apply. */
export function ConfigurationTab({ source }: { source: Source }): ComponentChild {
  const { organisation, name, revisionTag } = source;
  const params = { organisation, name };
  const hidden = { params, query: { secrets: 'hidden' } } as const;
  const { answer, refusal, again } = useAnswer('exportSource', hidden);
  const { mayChange } = useRole();
  const [edited, edit] = useState<{ yaml: string; tag: string }>();
  const [turn, setTurn] = useState(0);
  const [isOffered, offer] = useState(false);
  const isChangedMeanwhile = edited !== undefined && edited.tag !== revisionTag;
  useEffect(() => {
    if (edited === undefined) changed(['exportSource']);
  }, [revisionTag]);
  // The text is read after its revision, so that a change in between is met and never overwritten.
  const begin = async (): Promise<void> => {
    try {
      edit({ yaml: (await ask('exportSource', hidden)).yaml, tag: revisionTag });
    } catch (error) {
      complain(error);
    }
  };
  const compare = useAction(async () => {
    // What is wrong with the text is said at its lines; the dialog compares with the revision that was read.
    if (edited) await ask('applySource', { query: { dryRun: 'true' }, body: edited.yaml });
    offer(true);
  });
  if (answer === undefined) return refusal ? <Trouble refusal={refusal} again={again} /> : <Skeleton again={again} />;
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
              <Button icon={PencilLine} act={begin}>
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
      {isOffered && edited && (
        <ApplyDialog
          title={t.applyTitle(name)}
          verb={t.apply}
          source={source}
          tag={edited.tag}
          send={(query, ifMatch) => ask('applySource', { query, body: edited.yaml }, { ifMatch: `"${ifMatch}"` })}
          close={() => offer(false)}
          done={() => {
            say(t.applied(name));
            edit(undefined);
            changed(['getSource', 'exportSource', 'listFormer']);
          }}
        />
      )}
    </>
  );
}
