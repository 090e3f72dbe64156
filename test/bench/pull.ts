import { startInflux } from '../kit/influx.ts';
import type { Influx } from '../kit/influx.ts';
import { median } from './bench.ts';
import type { BenchOptions, Measure } from './bench.ts';
import { FIELD, READER, datasetOf, instantAt, valueAt } from './dataset.ts';
import type { Dataset } from './dataset.ts';
import { pullOnce } from './pull-once.ts';
import type { Platform, Pulled } from './pull-once.ts';
import { copyRate } from './reference-copy.ts';
import { openRig, startPlant } from './rig.ts';
import type { Rig } from './rig.ts';

/** Readings of a window: the default of DATABRIDGE_WINDOW_READINGS, a tenth of it and four times it. */
const USUAL = 50_000;
const SMALL = 5_000;
const LARGE = 200_000;

/** Everything measured once, one after the other, so that a slow machine slows down all of it. */
interface Round {
  readonly text: number;
  readonly binary: number;
  readonly usual: Pulled;
  readonly small: Pulled;
  readonly large: Pulled;
  readonly influx: Pulled;
}

/** Platform JSON over HTTP → durable rows by one worker, compared with COPY of the same rows in the same server. */
export async function pull(options: BenchOptions): Promise<Measure[]> {
  const dataset = datasetOf(options.points);
  await using stack = new AsyncDisposableStack();
  const rig = await openRig(options);
  stack.defer(() => rig.close());
  const plant = await startPlant('bulk-plant.ts', { points: options.points });
  stack.defer(() => plant.stop());
  const influx = await startInflux({ databases: ['plant'] });
  stack.defer(() => influx.stop());
  await writeDataset(influx, dataset);
  options.say(`InfluxDB and the simulator hold ${options.points} points`);

  const simulated = { url: plant.url, ...READER };
  const real = { url: influx.url, ...influx.reader };
  const rounds: Round[] = [];
  for (let run = 1; run <= options.runs; run += 1) {
    rounds.push(await measureRound(rig, dataset, { simulated, real }, options));
  }
  return measuresOf(rounds);
}

/** Writes the dataset into the database `plant` of an InfluxDB. */
export async function writeDataset(influx: Influx, dataset: Dataset): Promise<void> {
  for (const series of dataset.series) {
    const lines = Array.from(
      { length: dataset.pointsPerSeries },
      (_, index) =>
        `${series.measurement},unit=${series.unit} ${FIELD}=${valueAt(series, index)} ${instantAt(dataset, index)}`,
    );
    await influx.write(lines, 'plant', 'u');
  }
}

async function measureRound(
  rig: Rig,
  dataset: Dataset,
  { simulated, real }: { simulated: Platform; real: Platform },
  { say }: BenchOptions,
): Promise<Round> {
  const room = await rig.room();
  const text = await copyRate(room.url, dataset, 'text in time order');
  const binary = await copyRate(room.url, dataset, 'binary in key order');
  await room.close();
  say(`references: text ${rounded(text)}, binary ${rounded(binary)} rows/s`);
  const pulled = async (name: string, platform: Platform, windowReadings: number): Promise<Pulled> => {
    const one = await pullOnce(rig, dataset, platform, windowReadings);
    const { readingsPerSecond, peakRssMegabytes, coresBusy, window } = one;
    const [rate, memory] = [rounded(readingsPerSecond), rounded(peakRssMegabytes)];
    say(`${name}: ${rate} readings/s, ${memory} MB, ${coresBusy.toFixed(1)} cores busy; windows: ${window}`);
    return one;
  };
  return {
    text,
    binary,
    usual: await pulled('simulator', simulated, USUAL),
    small: await pulled(`simulator, windows of ${SMALL}`, simulated, SMALL),
    large: await pulled(`simulator, windows of ${LARGE}`, simulated, LARGE),
    influx: await pulled('InfluxDB', real, USUAL),
  };
}

function measuresOf(rounds: readonly Round[]): Measure[] {
  const middle = (value: (round: Round) => number): number => median(rounds.map(value));
  const ofPull = (name: string, pulled: (round: Round) => Pulled): Measure[] => [
    {
      what: `${name} → rows`,
      value: middle((round) => pulled(round).readingsPerSecond),
      unit: 'readings/s',
      ...(rounds[0] && { note: pulled(rounds[0]).window }),
    },
    {
      what: `${name}, CPU of the bridge`,
      value: middle((round) => pulled(round).cpuSecondsPerMillion),
      unit: 's/million',
    },
    { what: `${name}, peak RSS`, value: middle((round) => pulled(round).peakRssMegabytes), unit: 'MB' },
  ];
  const ratio = (pulled: (round: Round) => Pulled, reference: 'text' | 'binary'): number =>
    middle((round) => pulled(round).readingsPerSecond / round[reference]);
  const usual = (round: Round): Pulled => round.usual;
  const influx = (round: Round): Pulled => round.influx;
  return [
    { what: 'COPY text, time order', value: middle(({ text }) => text), unit: 'rows/s', note: 'reference' },
    {
      what: 'COPY binary, key order',
      value: middle(({ binary }) => binary),
      unit: 'rows/s',
      note: 'reference: the limit',
    },
    ...ofPull('simulator', usual),
    { what: 'simulator : COPY text', value: ratio(usual, 'text'), unit: '×', aim: { atLeast: 1 } },
    { what: 'simulator : COPY binary', value: ratio(usual, 'binary'), unit: '×', aim: { atLeast: 0.3 } },
    ...ofPull('InfluxDB', influx),
    { what: 'InfluxDB : COPY text', value: ratio(influx, 'text'), unit: '×' },
    { what: 'InfluxDB : COPY binary', value: ratio(influx, 'binary'), unit: '×' },
    ...ofPull(`windows of ${rounded(SMALL)}`, ({ small }) => small),
    ...ofPull(`windows of ${rounded(LARGE)}`, ({ large }) => large),
    {
      what: `peak RSS, ${rounded(LARGE)} : ${rounded(SMALL)}`,
      value: middle(({ small, large }) => large.peakRssMegabytes / small.peakRssMegabytes),
      unit: '×',
      aim: { atMost: 1.25 },
    },
  ];
}

const rounded = (value: number): string => Math.round(value).toLocaleString('en');
