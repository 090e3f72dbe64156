import { BellOff, BellRing, Check } from 'lucide';
import type { ComponentChild } from 'preact';
import { useState } from 'preact/hooks';
import { changed, useAnswer } from '../client/answers.ts';
import { ask } from '../client/api.ts';
import type { Alert, Operations } from '../client/operations.ts';
import { useList } from '../client/pages.ts';
import { adjust, hrefOf, useRoute } from '../client/route.ts';
import { useRole } from '../client/session.ts';
import { numberOf } from '../client/zone.ts';
import { WhyEmpty } from '../overview/first-source.tsx';
import { Button } from '../parts/button.tsx';
import { Chips } from '../parts/chips.tsx';
import { FormDialog } from '../parts/dialog.tsx';
import { Field, Select, wrongOf } from '../parts/field.tsx';
import { ListCard } from '../parts/list-card.tsx';
import { Card, Empty, Page } from '../parts/page.tsx';
import { State } from '../parts/state.tsx';
import { Table } from '../parts/table.tsx';
import { Ago, Moment } from '../parts/time.tsx';
import { say } from '../parts/toast.tsx';
import { Words } from '../parts/words.tsx';
import { texts } from '../texts.ts';

const t = texts.alerts;

const STATES = ['open', 'ended', 'all'] as const;
const MUTES = ['1h', '8h', '1d', '7d'] as const;

/** Troubles that lasted, and who is at them. */
export function Alerts(): ComponentChild {
  const { query } = useRoute();
  const { mayChange } = useRole();
  const state = STATES.find((one) => one === query['state']) ?? 'open';
  const given = { query: { state, limit: 50 } as Operations['listAlerts']['query'] };
  const list = useList('listAlerts', given, ({ id }) => id, 15_000);
  const [open, setOpen] = useState<{ act: 'ack' | 'mute'; on: Alert }>();
  return (
    <Page title={texts.nav.alerts} about={t.about}>
      <Chips
        label={t.byState}
        options={STATES.map((one) => [one, t.states[one]])}
        chosen={state}
        choose={(one) => adjust({ state: one })}
      />
      <ListCard
        label={texts.nav.alerts}
        list={list}
        keyOf={({ id }) => id}
        empty={
          <WhyEmpty>
            <Empty icon={BellRing} title={state === 'open' ? t.noneOpen : t.none}>
              {t.noneAbout}
            </Empty>
          </WhyEmpty>
        }
        columns={[
          {
            title: t.trouble,
            kind: 'name',
            cell: (alert) => (
              <>
                <Subject of={alert} />
                <bdi class="under">{alert.what}</bdi>
                <bdi class="under">
                  <Words of={alert.remedy} />
                </bdi>
              </>
            ),
          },
          {
            title: t.state,
            cell: ({ severity, state: now, mutedUntil }) => (
              <span>
                {now === 'open' ? <State of={severity} /> : <State of="ended" />}
                {mutedUntil && now === 'open' && (
                  <span class="under">
                    {t.mutedUntil} <Moment at={mutedUntil} />
                  </span>
                )}
              </span>
            ),
          },
          {
            title: t.since,
            kind: 'number',
            cell: ({ since, endedAt, returns }) => (
              <span>
                <Ago at={since} />
                {endedAt && (
                  <span class="under">
                    {t.ended} <Ago at={endedAt} />
                  </span>
                )}
                {returns > 0 && <span class="under">{t.returns(numberOf(returns))}</span>}
              </span>
            ),
          },
          {
            title: t.owner,
            cell: ({ owner, note }) => (
              <span class="long">
                {owner?.replace(/^operator:/, '') ?? <span class="quiet">{t.nobody}</span>}
                {note && (
                  <span class="under" dir="auto">
                    {note}
                  </span>
                )}
              </span>
            ),
          },
          mayChange && {
            title: texts.sources.actions,
            kind: 'actions',
            isSilent: true,
            cell: (on) =>
              on.state === 'open' && (
                <div class="row">
                  <Button isSmall icon={Check} act={() => setOpen({ act: 'ack', on })}>
                    {t.take}
                  </Button>
                  <Button isSmall icon={BellOff} label={t.mute} look="plain" act={() => setOpen({ act: 'mute', on })} />
                </div>
              ),
          },
        ]}
      />
      <Targets />
      {open && <Answered {...open} close={() => setOpen(undefined)} />}
    </Page>
  );
}

/** The subject, as a link where it is a source. */
function Subject({ of: { kind, subject, organisation } }: { of: Alert }): ComponentChild {
  const title = t.titleOf(texts.kinds[kind], subject);
  // No source has a space in its name.
  const isSource = organisation !== null && !['names', 'outbox'].includes(kind) && !subject.startsWith('delivery of ');
  return isSource ? (
    <a href={hrefOf(['sources', organisation, subject])}>{title}</a>
  ) : (
    <span class="strong">{title}</span>
  );
}

function Answered({ act, on, close }: { act: 'ack' | 'mute'; on: Alert; close: () => void }): ComponentChild {
  const [note, setNote] = useState('');
  const [time, setTime] = useState<string>('8h');
  const params = { id: on.id };
  return (
    <FormDialog
      title={act === 'ack' ? t.takeTitle(on.subject) : t.muteTitle(on.subject)}
      verb={act === 'ack' ? t.take : t.mute}
      fields={['note']}
      close={close}
      act={async () => {
        if (act === 'ack') await ask('acknowledgeAlert', { params, body: note === '' ? {} : { note } });
        else await ask('muteAlert', { params, body: { for: time } });
        say(act === 'ack' ? t.taken : t.muted);
        changed(['listAlerts']);
      }}
    >
      {(refusal) => (
        <>
          <p dir="auto">{on.what}</p>
          {act === 'ack' ? (
            <Field
              label={t.note}
              value={note}
              set={setNote}
              hint={t.noteHint}
              isFirst
              wrong={wrongOf(refusal, 'note')}
            />
          ) : (
            <Select label={t.muteFor} value={time} set={setTime} options={MUTES.map((key) => [key, t.mutes[key]])} />
          )}
        </>
      )}
    </FormDialog>
  );
}

/** Where alerts are sent to; nothing for an operator who may not see it. */
function Targets(): ComponentChild {
  const { answer } = useAnswer('listAlertTargets', {}, 15_000);
  if (answer === undefined) return null;
  return (
    <Card title={t.targets}>
      {answer.items.length === 0 ? (
        <p class="body quiet">{t.noTargets}</p>
      ) : (
        <Table
          label={t.targets}
          rows={answer.items}
          keyOf={({ name }) => name}
          columns={[
            { title: t.target, kind: 'name', cell: ({ name }) => <span class="strong">{name}</span> },
            {
              title: t.state,
              cell: ({ fault }) => (
                <span>
                  <State of={fault ? 'failing' : 'ok'} word={fault ? texts.states.failing : t.told} />
                  {fault && <span class="under">{fault.message}</span>}
                </span>
              ),
            },
            { title: t.waiting, kind: 'number', cell: ({ waiting }) => numberOf(waiting) },
            { title: t.lastSent, kind: 'number', cell: ({ lastSentAt }) => <Ago at={lastSentAt} /> },
          ]}
        />
      )}
    </Card>
  );
}
