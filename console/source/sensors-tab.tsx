import { Radio } from 'lucide';
import type { ComponentChild } from 'preact';
import type { Source } from '../client/operations.ts';
import { useList } from '../client/pages.ts';
import { adjust, hrefOf, useRoute } from '../client/route.ts';
import { lengthOf, numberOf } from '../client/zone.ts';
import { Card, Empty, Skeleton, Trouble } from '../parts/page.tsx';
import { reasonOf } from '../parts/reason.ts';
import { State } from '../parts/state.tsx';
import { Table } from '../parts/table.tsx';
import { Ago } from '../parts/time.tsx';
import { texts } from '../texts.ts';

const t = texts.sensors;

/** The sensors of a source, silent ones first: their newest reading, and why there is none. */
export function SensorsTab({ source: { organisation, name, project, silence } }: { source: Source }): ComponentChild {
  const { query } = useRoute();
  const isSilent = query['silent'] === 'true';
  const given = { params: { organisation, name }, query: { limit: 50, ...(isSilent && { silent: 'true' }) } };
  const { items, refusal, again, more } = useList('listNewest', given, ({ sensor }) => sensor, 10_000);
  return (
    <>
      {refusal && <Trouble refusal={refusal} again={again} />}
      <Card
        title={t.title}
        beside={
          silence && <span class="small quiet">{t.counts(numberOf(silence.sensors), numberOf(silence.silent))}</span>
        }
        actions={
          <button
            type="button"
            class="chip"
            aria-pressed={isSilent}
            onClick={() => adjust({ silent: isSilent ? undefined : 'true' })}
          >
            {t.silentOnly}
          </button>
        }
      >
        {items === undefined ? (
          !refusal && <Skeleton again={again} />
        ) : items.length === 0 ? (
          <Empty icon={Radio} title={isSilent ? t.noneSilent : t.none}>
            {isSilent ? t.noneSilentAbout : t.noneAbout}
          </Empty>
        ) : (
          <Table
            label={t.title}
            rows={items}
            keyOf={({ sensor }) => sensor}
            more={more}
            columns={[
              {
                title: t.sensor,
                kind: 'name',
                cell: ({ sensor, sensorId }) => (
                  <>
                    <a
                      class="mono"
                      dir="auto"
                      href={hrefOf(['data'], { organisation, project, sensor: sensorId ?? sensor })}
                    >
                      {sensorId ?? sensor}
                    </a>
                    {sensorId !== null && sensorId !== sensor && <bdi class="under mono">{sensor}</bdi>}
                  </>
                ),
              },
              {
                title: t.state,
                cell: ({ silent, refused }) => (
                  <span>
                    <State of={silent ? 'silent' : 'well'} word={silent ? texts.states.silent : t.speaks} />
                    {refused && <span class="under">{reasonOf(refused)}</span>}
                  </span>
                ),
              },
              { title: t.newest, kind: 'number', cell: ({ newestAt }) => <Ago at={newestAt} /> },
              {
                title: t.gap,
                kind: 'number',
                cell: ({ longestGapSeconds }) => (longestGapSeconds === null ? '–' : lengthOf(longestGapSeconds)),
              },
              { title: t.series, kind: 'number', cell: ({ series }) => numberOf(series) },
            ]}
          />
        )}
      </Card>
    </>
  );
}
