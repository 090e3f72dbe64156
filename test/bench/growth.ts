import { SECOND } from '../../src/core/instant.ts';
import type { BenchOptions, Measure } from './bench.ts';
import { openRig } from './rig.ts';
import { chosen, measureLoad } from './schedule.ts';
import type { Load } from './schedule.ts';

/** The same 200 polls a second of ever more sources. */
const LOADS: readonly Load[] = [100, 1_000, 10_000, 100_000].flatMap((sources) =>
  (['Redis', 'PostgreSQL'] as const).map((queue) => ({
    sources,
    every: (sources * SECOND) / 200,
    queue,
    mostRss: 600,
    allDue: true,
    slow: sources > 10_000 || (sources > 1_000 && queue === 'PostgreSQL'),
  })),
);

/** The others are compared with this many sources. */
const COMPARED = 1_000;

/** Of the measures of a load. */
const SHOWN = /^(?:CPU|statements|WAL|lag p99|peak RSS|polled|first polls)/;

/** Whether a poll costs more where there are more sources. */
export async function growth(options: BenchOptions): Promise<Measure[]> {
  await using stack = new AsyncDisposableStack();
  const rig = await openRig(options);
  stack.defer(() => rig.close());
  const measures: Measure[] = [];
  const costs = new Map<string, number>();
  for (const load of chosen(LOADS, options)) {
    const measured = (await measureLoad(rig, load, options)).measures;
    measures.push(...measured.filter(({ what }) => SHOWN.test(what)));
    const [cpu] = measured.filter(({ what }) => what.startsWith('CPU, everything'));
    if (cpu !== undefined) costs.set(`${load.sources} ${load.queue}`, cpu.value);
    const compared = costs.get(`${COMPARED} ${load.queue}`);
    if (cpu === undefined || compared === undefined || load.sources <= COMPARED) continue;
    measures.push({
      of: cpu.of ?? '',
      what: 'CPU of a poll, against 1,000 sources',
      value: cpu.value / compared,
      unit: '×',
      aim: { atMost: 1.1 },
    });
  }
  return measures;
}
