import { ChartLine, Lock, LockOpen } from 'lucide';
import type { ComponentChild } from 'preact';
import { changed, useAnswer } from '../client/answers.ts';
import { ask } from '../client/api.ts';
import { hrefOf } from '../client/route.ts';
import { useRole } from '../client/session.ts';
import { numberOf } from '../client/zone.ts';
import { Button } from '../parts/button.tsx';
import { Icon } from '../parts/icon.tsx';
import { Awaited, Card, Figures, Notice, Page } from '../parts/page.tsx';
import { State } from '../parts/state.tsx';
import { complain, done, say } from '../parts/toast.tsx';
import { texts } from '../texts.ts';
import { HeldNames } from './held-names.tsx';

const t = texts.projects;

/** A project: its room for series, its lock, and the names that it holds back. */
export function ProjectPage(params: { organisation: string; code: string }): ComponentChild {
  const { organisation, code } = params;
  const shown = useAnswer('getProject', { params: { organisation, code } }, 15_000);
  const { answer } = shown;
  const { mayChange } = useRole();
  const lock = async (): Promise<void> => {
    if (await done(ask('lockProject', { params: { organisation, code } }), t.lockedNow(code))) changed(['getProject']);
  };
  const unlock = async (): Promise<void> => {
    try {
      const { held } = await ask('unlockProject', { params: { organisation, code } });
      say(t.unlockedNow(code), held > 0 ? t.releasedCount(numberOf(held)) : undefined);
      changed(['getProject', 'listHeldNames']);
    } catch (error) {
      complain(error);
    }
  };
  return (
    <Page
      title={code}
      above={{ title: texts.nav.projects, href: hrefOf(['projects']) }}
      beside={answer && <State of={answer.locked ? 'warning' : 'well'} word={answer.locked ? t.locked : t.open} />}
      actions={
        <>
          <a class="button" href={hrefOf(['data'], { organisation, project: code })}>
            <Icon of={ChartLine} />
            {texts.nav.data}
          </a>
          {mayChange &&
            answer &&
            (answer.locked ? (
              <Button icon={LockOpen} act={unlock}>
                {t.unlock}
              </Button>
            ) : (
              <Button icon={Lock} act={lock}>
                {t.lock}
              </Button>
            ))}
        </>
      }
    >
      <Awaited of={shown}>
        {(project) => (
          <>
            {project.warnings.map(({ message, remedy }) => (
              <Notice key={message} tone="warn" remedy={remedy}>
                {message}
              </Notice>
            ))}
            <Card isText>
              <Figures
                of={[
                  [t.series, t.ofQuota(numberOf(project.series), numberOf(project.quota))],
                  [t.newInHour, numberOf(project.newInHour)],
                  [t.usual, numberOf(project.newInUsualHour)],
                  [t.held, numberOf(project.held)],
                ]}
              />
            </Card>
            <p class="quiet">{t.lockAbout}</p>
            <HeldNames organisation={organisation} code={code} />
          </>
        )}
      </Awaited>
    </Page>
  );
}
