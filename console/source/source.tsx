import { Pause, Play, RefreshCw, Trash2 } from 'lucide';
import type { ComponentChild } from 'preact';
import { useState } from 'preact/hooks';
import { useAnswer } from '../client/answers.ts';
import { ask, bridgeNow } from '../client/api.ts';
import type { Source } from '../client/operations.ts';
import { go, hrefOf, useRoute } from '../client/route.ts';
import { useRole } from '../client/session.ts';
import { compactOf, durationOf, lengthOf, numberOf } from '../client/zone.ts';
import { Button } from '../parts/button.tsx';
import { FormDialog } from '../parts/dialog.tsx';
import { Menu } from '../parts/menu.tsx';
import { Awaited, Card, Figures, Notice, Page, Tabs } from '../parts/page.tsx';
import { State } from '../parts/state.tsx';
import { Ago, Moment } from '../parts/time.tsx';
import { done } from '../parts/toast.tsx';
import { Words } from '../parts/words.tsx';
import { texts } from '../texts.ts';
import { ConfigurationTab } from './configuration-tab.tsx';
import { CoverageTab } from './coverage-tab.tsx';
import { HistoryTab } from './history-tab.tsx';
import { RefusalsTab } from './refusals-tab.tsx';
import { SensorsTab } from './sensors-tab.tsx';
import { WindowsTab } from './windows-tab.tsx';
import './source.css';

const t = texts.source;

/** How often a source is read, ms. */
const EVERY_MS = 5_000;

const TABS = ['coverage', 'sensors', 'windows', 'refusals', 'configuration', 'history'] as const;

export function SourcePage(params: { organisation: string; name: string }): ComponentChild {
  const { organisation, name } = params;
  const shown = useAnswer('getSource', { params: { organisation, name } }, EVERY_MS);
  const source = shown.answer;
  const { query } = useRoute();
  const tab = TABS.find((one) => one === query['tab']) ?? 'coverage';
  return (
    <Page
      title={name}
      above={{ title: texts.nav.sources, href: hrefOf(['sources']) }}
      beside={
        source && (
          <>
            <State of={source.condition} />
            <span class="tag">{source.platform}</span>
            <span class="tag">{source.project}</span>
          </>
        )
      }
      actions={source && <Actions source={source} />}
    >
      <Awaited of={shown}>
        {(source) => (
          <>
            <Why source={source} />
            <Summary source={source} />
            <Tabs
              label={t.tabs}
              shown={tab}
              items={TABS.map((key) => ({
                key,
                title: t.tabTitles[key],
                href: hrefOf(['sources', organisation, name], key === 'coverage' ? {} : { tab: key }),
              }))}
            />
            {tab === 'coverage' && <CoverageTab source={source} />}
            {tab === 'sensors' && <SensorsTab source={source} />}
            {tab === 'windows' && <WindowsTab source={source} />}
            {tab === 'refusals' && <RefusalsTab source={source} />}
            {tab === 'configuration' && <ConfigurationTab source={source} />}
            {tab === 'history' && <HistoryTab source={source} />}
          </>
        )}
      </Awaited>
    </Page>
  );
}

/** Why it is not well: each cause with its remedy, and what to press. */
function Why({ source }: { source: Source }): ComponentChild {
  const { organisation, name, condition } = source;
  const isWell = condition === 'well' || condition === 'paused';
  const { answer } = useAnswer('explainSource', isWell ? undefined : { params: { organisation, name } }, EVERY_MS);
  if (isWell) return null;
  return (
    <>
      {answer?.causes.slice(0, 3).map(({ cause, message, remedy, seconds }) => (
        <Notice key={cause} tone={condition === 'stopped' || condition === 'failing' ? 'bad' : 'warn'} remedy={remedy}>
          <Words of={message} />
          {seconds !== null && seconds >= 1 && <span class="quiet"> ({lengthOf(seconds)})</span>}
        </Notice>
      ))}
    </>
  );
}

function Summary({ source }: { source: Source }): ComponentChild {
  const { requestsLastHour: requests, overdueSeconds } = source;
  return (
    <Card isText>
      <Figures
        of={[
          [t.newest, <Ago at={source.newestAt} />],
          [
            texts.sources.overdue,
            overdueSeconds === null ? '–' : overdueSeconds > 0 ? lengthOf(overdueSeconds) : texts.sources.onTime,
          ],
          [t.every, durationOf(source.every)],
          [t.next, nextOf(source)],
          [t.readings24h, compactOf(source.readings24h)],
          [t.refused24h, compactOf(source.refused24h)],
          [
            texts.sources.requests,
            requests.allowed === null
              ? numberOf(requests.all)
              : texts.sources.ofAllowed(numberOf(requests.all), compactOf(requests.allowed)),
          ],
          ...(source.heldUntil ? [[t.heldUntil, <Moment at={source.heldUntil} />] as const] : []),
        ]}
      />
    </Card>
  );
}

/** When it is polled next: a poll that is due waits for its turn only. */
function nextOf({ nextDueAt }: Source): ComponentChild {
  if (nextDueAt === null) return '–';
  return Date.parse(nextDueAt) < bridgeNow() + 1_000 ? t.now : <Ago at={nextDueAt} />;
}

function Actions({ source: { organisation, name, state, revisionTag } }: { source: Source }): ComponentChild {
  const { mayChange } = useRole();
  const [isRemoving, setRemoving] = useState(false);
  if (!mayChange) return null;
  const params = { organisation, name };
  const s = texts.sources;
  return (
    <>
      {state === 'active' ? (
        <>
          <Button icon={RefreshCw} act={() => done(ask('pollSource', { params }), s.polled(name))}>
            {s.poll}
          </Button>
          <Button icon={Pause} act={() => done(ask('pauseSource', { params }), s.paused(name))}>
            {s.pause}
          </Button>
        </>
      ) : (
        <Button icon={Play} look="main-one" act={() => done(ask('resumeSource', { params }), s.resumed(name))}>
          {s.resume}
        </Button>
      )}
      <Menu
        label={s.actionsOf(name)}
        items={[{ title: t.remove, icon: Trash2, isDangerous: true, act: () => setRemoving(true) }]}
      />
      {isRemoving && (
        <FormDialog
          title={t.removeTitle(name)}
          verb={t.remove}
          isDangerous
          close={() => setRemoving(false)}
          act={async () => {
            await ask('removeSource', { params }, { ifMatch: `"${revisionTag}"` });
            go(['sources']);
          }}
        >
          <p>{t.removeAbout}</p>
        </FormDialog>
      )}
    </>
  );
}
