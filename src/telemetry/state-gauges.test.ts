import { describe, expect, it } from 'vitest';
import { stateText } from './state-gauges.ts';
import type { BridgeMeasures, SourceMeasure } from '../source/measures.ts';

const POOL = { total: 5, idle: 3, waiting: 1, most: 12 };

const stateOf = (sources: readonly SourceMeasure[], more: Partial<BridgeMeasures> = {}): BridgeMeasures => ({
  sources,
  due: { poll: 2, look: 0, history: 4 },
  plannerSilence: 0.3,
  workers: 2,
  workersAtOdds: 0,
  outbox: { waiting: 7, oldestAge: 1.5, full: 0, stopped: 1 },
  alerts: [{ kind: 'behind', severity: 'warning', open: 3 }],
  database: { bytes: 1_000_000, partitions: { reading: 3, window_log: 2 } },
  ...more,
});

const sourceOf = (number: number, more: Partial<SourceMeasure> = {}): SourceMeasure => ({
  organisation: 'default',
  name: `source-${number}`,
  platform: number % 2 === 0 ? 'influxdb' : 'thingsboard',
  condition: 'well',
  lag: number,
  overdue: 0,
  newestReadingAge: null,
  requests: { used: 1, allowed: 10 },
  ...more,
});

/** The samples of a metric, without its name. */
const samplesOf = (text: string, name: string): string[] =>
  text
    .split('\n')
    .filter((line) => new RegExp(`^databridge_${name}[ {]`).test(line))
    .map((line) => line.slice(`databridge_${name}`.length));

const sources = (count: number): SourceMeasure[] => Array.from({ length: count }, (_, index) => sourceOf(index + 1));

describe('the gauges of a scrape', () => {
  it('name each of a bounded number of sources', async () => {
    const text = await stateText(stateOf(sources(200)), POOL, '1.2.3');
    expect(samplesOf(text, 'source_lag_seconds')).toHaveLength(200);
    expect(samplesOf(text, 'source_lag_seconds')).toContain(
      '{platform="thingsboard",organisation="default",source="source-7"} 7',
    );
    expect(samplesOf(text, 'source_condition')).toHaveLength(200);
    expect(samplesOf(text, 'sources')).toEqual([
      '{platform="thingsboard",condition="well"} 100',
      '{platform="influxdb",condition="well"} 100',
    ]);
  });

  it('tell the worst and the sum of each platform beyond that number, without a name', async () => {
    const text = await stateText(stateOf(sources(201)), POOL, '1.2.3');
    expect(text).not.toContain('source=');
    expect(samplesOf(text, 'source_lag_seconds')).toEqual([
      '{platform="thingsboard"} 201',
      '{platform="influxdb"} 200',
    ]);
    expect(samplesOf(text, 'source_requests_allowed_per_hour')).toEqual([
      '{platform="thingsboard"} 1010',
      '{platform="influxdb"} 1000',
    ]);
    expect(samplesOf(text, 'source_condition')).toEqual([]);
    expect(samplesOf(text, 'sources')).toHaveLength(2);
  });

  it('leave out each value that is not known, and the metric where none is', async () => {
    const unknown = sourceOf(1, { lag: null, overdue: null, requests: { used: 0, allowed: null } });
    const text = await stateText(stateOf([unknown], { plannerSilence: null }), POOL, '1.2.3');
    expect(samplesOf(text, 'source_requests_used_per_hour')).toHaveLength(1);
    for (const name of ['lag_seconds', 'newest_reading_age_seconds', 'requests_allowed_per_hour']) {
      expect(text).not.toContain(`databridge_source_${name}`);
    }
    expect(text).not.toContain('databridge_planner_silence_seconds');
  });

  it('are of this process alone without the measures of the database', async () => {
    const text = await stateText(undefined, POOL, '1.2.3');
    expect(text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))).toEqual([
      'databridge_build_info{version="1.2.3"} 1',
      'databridge_database_pool_connections{state="idle"} 3',
      'databridge_database_pool_connections{state="used"} 2',
      'databridge_database_pool_waiting 1',
      'databridge_database_pool_connections_most 12',
      'databridge_state_up 0',
    ]);
  });

  it('escape a name that would end its label', async () => {
    const text = await stateText(stateOf([sourceOf(1, { name: 'a"b\\c\nd' })]), POOL, '1.2.3');
    expect(samplesOf(text, 'source_lag_seconds')[0]).toContain(String.raw`source="a\"b\\c\nd"`);
  });
});
