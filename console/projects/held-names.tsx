import { LockOpen, ShieldCheck } from 'lucide';
import type { ComponentChild } from 'preact';
import { changed } from '../client/answers.ts';
import { ask } from '../client/api.ts';
import { useList } from '../client/pages.ts';
import { useRole } from '../client/session.ts';
import { numberOf } from '../client/zone.ts';
import { Button } from '../parts/button.tsx';
import { ListCard } from '../parts/list-card.tsx';
import { Empty } from '../parts/page.tsx';
import { Ago } from '../parts/time.tsx';
import { complain, say } from '../parts/toast.tsx';
import { texts } from '../texts.ts';

const t = texts.held;

/** Names that a locked project has no series of: released, or left alone. */
export function HeldNames(params: { organisation: string; code: string }): ComponentChild {
  const { mayChange } = useRole();
  const given = { params, query: { limit: 50 } };
  const list = useList('listHeldNames', given, ({ sensorId, valueName }) => `${sensorId} ${valueName}`, 15_000);
  const release = async (body: { sensorId?: string; valueName?: string; all?: boolean }): Promise<void> => {
    try {
      const { released, repairs } = await ask('releaseNames', { params, body });
      say(
        t.released(numberOf(released)),
        repairs.length > 0 ? t.repairs(repairs.map(({ source }) => source).join(', ')) : undefined,
      );
      changed(['listHeldNames', 'getProject']);
    } catch (error) {
      complain(error);
    }
  };
  return (
    <ListCard
      label={t.title}
      title={t.title}
      list={list}
      keyOf={({ sensorId, valueName }) => `${sensorId} ${valueName}`}
      actions={
        mayChange &&
        (list.items?.length ?? 0) > 1 && (
          <Button icon={LockOpen} act={() => release({ all: true })}>
            {t.releaseAll}
          </Button>
        )
      }
      empty={
        <Empty icon={ShieldCheck} title={t.none}>
          {t.noneAbout}
        </Empty>
      }
      columns={[
        {
          title: t.name,
          kind: 'name',
          cell: ({ sensorId, valueName, near }) => (
            <>
              <bdi class="mono strong">{sensorId}</bdi>
              <bdi class="under mono">{valueName}</bdi>
              {near[0] && <span class="under">{t.near(near.map((one) => one.sensorId))}</span>}
            </>
          ),
        },
        { title: t.from, cell: ({ source, application }) => <bdi class="long">{source ?? application ?? '–'}</bdi> },
        { title: t.points, kind: 'number', cell: ({ refused }) => numberOf(refused) },
        { title: t.last, kind: 'number', cell: ({ lastSeen }) => <Ago at={lastSeen} /> },
        mayChange && {
          title: texts.sources.actions,
          kind: 'actions',
          isSilent: true,
          cell: ({ sensorId, valueName }) => (
            <Button isSmall icon={LockOpen} act={() => release({ sensorId, valueName })}>
              {t.release}
            </Button>
          ),
        },
      ]}
    />
  );
}
