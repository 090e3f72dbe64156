import { ChartLine } from 'lucide';
import type { ComponentChild } from 'preact';
import { useAnswer } from '../client/answers.ts';
import { useList } from '../client/pages.ts';
import { adjust, hrefOf, useRoute, useTyped } from '../client/route.ts';
import { Select } from '../parts/field.tsx';
import { Awaited, Card, Empty, Page, Skeleton, Trouble } from '../parts/page.tsx';
import { FirstProject } from '../projects/first-project.tsx';
import { WhyEmpty } from '../overview/first-source.tsx';
import { Search } from '../parts/search.tsx';
import { Ago } from '../parts/time.tsx';
import { texts } from '../texts.ts';
import { SeriesCard } from './series-card.tsx';

const t = texts.data;

/** The readings of a project: choose a series, see its line and its table. */
export function Data(): ComponentChild {
  const { query } = useRoute();
  const asked = useAnswer('listProjects', { query: { limit: 200 } });
  const projects = asked.answer;
  const [text, type] = useTyped('sensor');
  const first = projects?.items[0];
  const organisation = query['organisation'] ?? first?.organisation;
  const code = query['project'] ?? first?.code;
  if (projects === undefined) {
    return (
      <Page title={texts.nav.data} about={t.about}>
        <Awaited of={asked}>{() => null}</Awaited>
      </Page>
    );
  }
  if (organisation === undefined || code === undefined) {
    return (
      <Page title={texts.nav.data} about={t.about}>
        <Card>
          <FirstProject />
        </Card>
      </Page>
    );
  }
  const params = { organisation, code };
  return (
    <Page title={texts.nav.data} about={t.about}>
      <div class="tools">
        <Select
          label={t.project}
          isSilent
          value={`${organisation}/${code}`}
          set={(key) => {
            const [owner, project] = key.split('/');
            adjust({ organisation: owner, project, id: undefined, value: undefined, sensor: undefined });
          }}
          options={projects.items.map((one) => [`${one.organisation}/${one.code}`, one.name || one.code])}
        />
        <Search label={t.search} value={text} set={type} most={300} />
      </div>
      <div class="data">
        <SeriesList params={params} />
        {query['id'] !== undefined && query['value'] !== undefined ? (
          <SeriesCard params={params} sensorId={query['id']} valueName={query['value']} />
        ) : (
          <Card>
            <Empty icon={ChartLine} title={t.chooseTitle}>
              {t.choose}
            </Empty>
          </Card>
        )}
      </div>
    </Page>
  );
}

function SeriesList({ params }: { params: { organisation: string; code: string } }): ComponentChild {
  const { query } = useRoute();
  const text = query['sensor'];
  const given = { params, query: { limit: 100, ...(text && { text }) } };
  const list = useList('listSeries', given, ({ sensorId, valueName }) => `${sensorId} ${valueName}`, 15_000);
  // Those that have been silent longest come first.
  const items = list.items?.toSorted((one, other) => (one.newestAt ?? '').localeCompare(other.newestAt ?? ''));
  return (
    <Card title={t.series}>
      {list.refusal && <Trouble refusal={list.refusal} again={list.again} />}
      {items === undefined ? (
        !list.refusal && <Skeleton again={list.again} />
      ) : items.length === 0 ? (
        <WhyEmpty>
          <Empty icon={ChartLine} title={t.none}>
            {t.noneAbout}
          </Empty>
        </WhyEmpty>
      ) : (
        <nav class="series" aria-label={t.series}>
          {items.map(({ sensorId, valueName, newestAt }) => (
            <a
              key={`${sensorId} ${valueName}`}
              href={hrefOf(['data'], {
                ...query,
                organisation: params.organisation,
                project: params.code,
                id: sensorId,
                value: valueName,
              })}
              aria-current={query['id'] === sensorId && query['value'] === valueName}
            >
              <bdi class="mono strong">{sensorId}</bdi>
              <span class="small quiet">
                <bdi>{valueName}</bdi> · <Ago at={newestAt} />
              </span>
            </a>
          ))}
          {list.more && (
            <button type="button" class="button plain" onClick={list.more}>
              {texts.more}
            </button>
          )}
        </nav>
      )}
    </Card>
  );
}
