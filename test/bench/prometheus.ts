import { writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isInstalled } from '../kit/installed.ts';
import { freePort } from '../kit/free-port.ts';
import { startServer } from '../kit/server.ts';
import type { Server } from '../kit/server.ts';
import type { BenchOptions, Measure } from './bench.ts';
import { arrivals, startPlant } from './rig.ts';
import { forgetPeak, usageOf } from './usage.ts';

const TARGETS = 1_000;

/** Until every target was scraped. */
const WARM_UP_MS = 5_000;

/** A real Prometheus that scrapes the plant as often as the bridge polls it: a measuring stick, where it is on the machine. */
export async function prometheus({ seconds, say }: BenchOptions): Promise<Measure[]> {
  if (!isInstalled('prometheus')) {
    say('prometheus is not on this machine, so nothing is compared with it');
    return [];
  }
  await using stack = new AsyncDisposableStack();
  const plant = await startPlant('small-plant.ts');
  stack.defer(() => plant.stop());
  const server = await startPrometheus(plant.url, TARGETS);
  stack.defer(() => server.stop());
  await sleep(WARM_UP_MS);

  const { pid } = server.process();
  await plant.admin('POST', 'forget');
  forgetPeak(pid);
  const before = usageOf(pid)?.cpuSeconds ?? 0;
  await sleep(seconds * 1_000);
  const after = usageOf(pid);
  const cpu = (after?.cpuSeconds ?? Number.NaN) - before;
  const scrapes = Object.values((await arrivals(plant)).askedAt).flat().length;
  say(`prometheus: ${scrapes} scrapes in ${seconds} s`);
  const of = `Prometheus, ${TARGETS.toLocaleString('en')} every 1s`;
  return [
    { of, what: 'polls a second', value: scrapes / seconds, unit: '' },
    { of, what: 'CPU, everything of ours a poll', value: (cpu * 1_000) / scrapes, unit: 'ms' },
    {
      of,
      what: 'share of the cores, everything of ours',
      value: (cpu * 100) / seconds / availableParallelism(),
      unit: '%',
    },
    { of, what: 'peak RSS', value: (after?.peakRssBytes ?? Number.NaN) / 1e6, unit: 'MB' },
  ];
}

/** A Prometheus that scrapes `count` targets of the small plant once a second; `url` is its own address. */
export async function startPrometheus(plant: string, count: number): Promise<Server & { readonly url: string }> {
  const port = await freePort();
  const address = new URL(plant).host;
  const targets = Array.from({ length: count }, (_, index) => ({
    targets: [address],
    labels: { __metrics_path__: `/metrics/source-${index + 1}`, instance: `source-${index + 1}` },
  }));
  const url = `http://127.0.0.1:${port}`;
  const server = await startServer('prometheus', async (directory) => {
    const config = {
      global: { scrape_interval: '1s', scrape_timeout: '1s' },
      scrape_configs: [{ job_name: 'plant', static_configs: targets }],
    };
    const file = join(directory, 'prometheus.yml');
    // JSON is YAML.
    await writeFile(file, JSON.stringify(config));
    return {
      name: 'prometheus',
      command: 'prometheus',
      args: [
        `--config.file=${file}`,
        `--storage.tsdb.path=${join(directory, 'data')}`,
        `--web.listen-address=127.0.0.1:${port}`,
        '--log.level=warn',
      ],
      ready: async () => (await fetch(`${url}/-/ready`)).ok,
    };
  });
  return { ...server, url };
}
