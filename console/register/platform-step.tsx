import type { ComponentChild } from 'preact';
import { useState } from 'preact/hooks';
import { useAnswer } from '../client/answers.ts';
import { ask } from '../client/api.ts';
import { Card, Skeleton, Trouble } from '../parts/page.tsx';
import { complain } from '../parts/toast.tsx';
import { texts } from '../texts.ts';
import { setDraft, useDraft } from './draft.ts';
import { StepButtons } from './step-buttons.tsx';

const t = texts.register;

/** Chooses the platform; its sample is the first draft. */
export function PlatformStep({ next }: { next: () => void }): ComponentChild {
  const { answer, refusal, again } = useAnswer('listPlatforms', {});
  const draft = useDraft();
  const [chosen, choose] = useState(draft.platform);
  const { answer: guide, refusal: unguided } = useAnswer(
    'getPlatformGuide',
    chosen === undefined ? undefined : { params: { name: chosen } },
  );
  const go = async (): Promise<void> => {
    if (chosen === undefined) return;
    if (chosen !== draft.platform) {
      try {
        const { yaml } = await ask('getPlatformSample', { params: { name: chosen } });
        setDraft({ platform: chosen, yaml });
      } catch (error) {
        complain(error);
        return;
      }
    }
    next();
  };
  if (answer === undefined) return refusal ? <Trouble refusal={refusal} again={again} /> : <Skeleton again={again} />;
  return (
    <>
      <fieldset>
        <legend class="away">{t.platform}</legend>
        <div class="pick">
          {answer.items.map(({ name, title, kinds }) => (
            <label key={name}>
              <span class="row">
                <input type="radio" name="platform" checked={chosen === name} onChange={() => choose(name)} />
                <span class="strong">{title}</span>
              </span>
              <span class="small quiet">
                {kinds.map((kind) => t.kinds[kind as keyof typeof t.kinds] ?? kind).join(', ')}
              </span>
            </label>
          ))}
        </div>
      </fieldset>
      {guide?.askTheCustomer && (
        <Card title={t.askTheCustomer} isText>
          <Prose text={guide.askTheCustomer} />
        </Card>
      )}
      <StepButtons
        next={() => void go()}
        back={undefined}
        // What comes above the button moves it, and a press of what moves is lost.
        why={chosen === undefined ? t.choosePlatform : (guide ?? unguided) ? undefined : texts.loading}
      />
    </>
  );
}

/** The small part of Markdown that the pages of platforms use: paragraphs, lists, code. */
function Prose({ text }: { text: string }): ComponentChild {
  const blocks = text.split(/\n(?=- |\n|```)/).filter((block) => block.trim() !== '');
  const code = text.split(/^```\w*\n([\s\S]*?)^```$/m);
  if (code.length > 1) {
    return (
      <div class="prose">
        {code.map((part, at) => (at % 2 === 1 ? <pre key={at}>{part}</pre> : <Prose key={at} text={part} />))}
      </div>
    );
  }
  return (
    <div class="prose">
      {blocks.map((block, at) =>
        block.trim().startsWith('- ') ? (
          <p key={at} class="bullet">
            {inline(block.trim().slice(2))}
          </p>
        ) : (
          <p key={at}>{inline(block.trim())}</p>
        ),
      )}
    </div>
  );
}

const inline = (text: string): ComponentChild[] =>
  text
    .replaceAll(/\s*\n\s*/g, ' ')
    .replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1')
    .split(/`([^`]+)`/)
    .map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part.replaceAll('**', '')));
