import { startPrometheus } from '../bench/prometheus.ts';
import { cpuSecondsOfGroup } from '../bench/usage.ts';
import { FIELD } from '../bench/dataset.ts';
import type { Peer, Visit } from './peer.ts';
import { versionOf } from './version-of.ts';

/** The Prometheus of this machine; undefined, with a word to `say`, where there is none. */
export async function prometheusPeer(say: (message: string) => void): Promise<Peer | undefined> {
  const version = await versionOf('prometheus', '--version');
  if (version === undefined) {
    say('prometheus is not on this machine, so nothing is compared with it');
    return undefined;
  }
  return {
    name: 'Prometheus',
    version: `Prometheus ${version}`,
    setup: 'a scrape a second of each target, whose answer tells the instant of the point; its own storage',
    history: 'it scrapes the present: it has no way to ask a source for its past, and it writes no rows',
    async polls({ plant, targets }) {
      const server = await startPrometheus(plant, targets);
      const pid = (): number => server.process().pid;
      return {
        pid,
        cpu() {
          const own = cpuSecondsOfGroup(pid());
          return { own, all: own };
        },
        kill9: () => server.kill9(),
        startAgain: () => server.restart(),
        stored: (visit) => samples(server.url, visit),
        stop: () => server.stop(),
      };
    },
    close: () => Promise.resolve(),
  };
}

interface Answer {
  readonly data: {
    readonly result: readonly {
      readonly metric: { readonly instance: string };
      readonly values: readonly (readonly [number, string])[];
    }[];
  };
}

/** A range selector gives the samples as they are stored. */
async function samples(url: string, visit: Visit): Promise<void> {
  const answer = await fetch(`${url}/api/v1/query?${new URLSearchParams({ query: `${FIELD}[1h]` }).toString()}`);
  for (const { metric, values } of ((await answer.json()) as Answer).data.result)
    for (const [at, value] of values) visit(`${metric.instance},unit=1`, Math.round(at * 1e6), Number(value));
}
