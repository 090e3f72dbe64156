import { Gauge, Registry } from 'prom-client';
import type { BridgeMeasures, SourceMeasure } from '../source/measures.ts';

/** At most this many sources are told one by one; of more, only sums and worst values by platform. */
const MOST_NAMED_SOURCES = 200;

/** Connections of this process to the database. */
export interface PoolState {
  readonly total: number;
  readonly idle: number;
  /** Statements that wait for a connection. */
  readonly waiting: number;
  readonly most: number;
}

type Labels = Readonly<Record<string, string>>;
/** Values by their labels; null where a value is not known, which leaves it out. */
type Values = readonly (readonly [labels: Labels, value: number | null])[];

/**
 * The gauges of one scrape in the text format. They are made for each scrape, so that they hold only what is true then:
 * where the database did not answer, `state` is undefined and the gauges of the whole bridge are left out.
 */
export async function stateText(state: BridgeMeasures | undefined, pool: PoolState, version: string): Promise<string> {
  const registry = new Registry();
  const tell = (name: string, help: string, values: Values): void => {
    const known = values.filter(([, value]) => value !== null);
    const [first] = known;
    if (first === undefined) return;
    const labelNames = Object.keys(first[0]);
    const gauge = new Gauge({ registers: [registry], name: `databridge_${name}`, help, labelNames });
    for (const [labels, value] of known) gauge.set(labels, value as number);
  };
  const one = (name: string, help: string, value: number | null): void => tell(name, help, [[{}, value]]);

  tell('build_info', 'Always 1, with the version of this process.', [[{ version }, 1]]);
  tell('database_pool_connections', 'Connections of this process to the database.', [
    [{ state: 'idle' }, pool.idle],
    [{ state: 'used' }, pool.total - pool.idle],
  ]);
  one('database_pool_waiting', 'Statements of this process that wait for a connection.', pool.waiting);
  one('database_pool_connections_most', 'Connections that this process may open at most.', pool.most);
  one('state_up', '1 where the database told the measures of the whole bridge, else 0.', state === undefined ? 0 : 1);
  if (state !== undefined) tellState(state, tell, one);
  return await registry.metrics();
}

function tellState(
  { sources, due, plannerSilence, workers, workersAtOdds, outbox, alerts, database }: BridgeMeasures,
  tell: (name: string, help: string, values: Values) => void,
  one: (name: string, help: string, value: number | null) => void,
): void {
  tellSources(sources, tell);
  tell('due_jobs', 'Jobs that are due and that no planner has taken yet.', labelled('work', due));
  one('planner_silence_seconds', 'Time since a planner planned.', plannerSilence);
  one('workers', 'Processes that poll.', workers);
  one('workers_at_odds', 'Processes that poll nothing, because their clock and the database disagree.', workersAtOdds);
  one('outbox_waiting_readings', 'Readings that wait to be delivered.', outbox.waiting);
  one(
    'outbox_oldest_age_seconds',
    'Age of the oldest readings that wait to be delivered; 0 without any.',
    outbox.oldestAge,
  );
  one('outbox_full_projects', 'Projects whose outbox is full, so that their sources are not asked.', outbox.full);
  one('outbox_stopped_projects', 'Projects whose delivery waits for an operator.', outbox.stopped);
  tell(
    'alerts',
    'Open alerts, as databridge alerts list shows them.',
    alerts.map(({ open, ...labels }) => [labels, open]),
  );
  one('database_size_bytes', 'Size of the database on disk.', database.bytes);
  tell('database_partitions', 'Partitions of a table.', labelled('table', database.partitions));
}

const labelled = (label: string, counts: Readonly<Record<string, number>>): Values =>
  Object.entries(counts).map(([name, count]) => [{ [label]: name }, count]);

/** How the values of the sources of a platform become one. */
const COMBINED = {
  worst: (values: readonly number[]) => values.reduce((one, other) => Math.max(one, other)),
  sum: (values: readonly number[]) => values.reduce((sum, one) => sum + one, 0),
} as const;

const OF_SOURCES: readonly {
  readonly name: string;
  readonly help: string;
  readonly combined: keyof typeof COMBINED;
  readonly value: (source: SourceMeasure) => number | null;
}[] = [
  {
    name: 'lag_seconds',
    help: 'Time from the newest covered instant to now, of the stream that is furthest behind.',
    combined: 'worst',
    value: ({ lag }) => lag,
  },
  {
    name: 'overdue_seconds',
    help: 'The part of the lag that the schedule does not explain.',
    combined: 'worst',
    value: ({ overdue }) => overdue,
  },
  {
    name: 'newest_reading_age_seconds',
    help: 'Age of the newest reading.',
    combined: 'worst',
    value: ({ newestReadingAge }) => newestReadingAge,
  },
  {
    name: 'requests_used_per_hour',
    help: 'Requests to the platform in the last hour.',
    combined: 'sum',
    value: ({ requests }) => requests.used,
  },
  {
    name: 'requests_allowed_per_hour',
    help: 'Requests to the platform that the pace allows in an hour.',
    combined: 'sum',
    value: ({ requests }) => requests.allowed,
  },
];

function tellSources(
  sources: readonly SourceMeasure[],
  tell: (name: string, help: string, values: Values) => void,
): void {
  const counts = new Map<string, { readonly labels: Labels; count: number }>();
  for (const { platform, condition } of sources) {
    const key = `${platform} ${condition}`;
    const known = counts.get(key) ?? { labels: { platform, condition }, count: 0 };
    known.count += 1;
    counts.set(key, known);
  }
  tell(
    'sources',
    'Registered sources by condition.',
    [...counts.values()].map(({ labels, count }) => [labels, count]),
  );
  const isNamed = sources.length <= MOST_NAMED_SOURCES;
  if (isNamed) {
    tell(
      'source_condition',
      '1 for the present condition of each source.',
      sources.map((source) => [{ ...labelsOf(source), condition: source.condition }, 1]),
    );
  }
  const groups = Map.groupBy(sources, ({ platform }) => platform);
  for (const { name, help, combined, value } of OF_SOURCES) {
    const values: Values = isNamed
      ? sources.map((source) => [labelsOf(source), value(source)])
      : [...groups].map(([platform, its]) => {
          const known = its.map(value).filter((of) => of !== null);
          return [{ platform }, known.length === 0 ? null : COMBINED[combined](known)];
        });
    tell(`source_${name}`, help, values);
  }
}

const labelsOf = ({ platform, organisation, name }: SourceMeasure): Labels => ({
  platform,
  organisation,
  source: name,
});
