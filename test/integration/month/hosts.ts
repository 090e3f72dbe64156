import type { Sealing } from '../../../src/access/sealing.ts';
import type { Database } from '../../../src/database/database.ts';
import { isDatabaseAway } from '../../../src/database/away.ts';
import type { Registry } from '../../../src/platform/registry.ts';
import { jobsUnderWay } from '../../../src/daemon/jobs-under-way.ts';
import type { JobsUnderWay } from '../../../src/daemon/jobs-under-way.ts';
import { planOnce } from '../../../src/pull/planner.ts';
import { recordingQueue } from '../../kit/recording-queue.ts';
import type { ModelTime } from '../model/time.ts';
import { startWorker } from '../model/worker.ts';
import type { Worker } from '../model/worker.ts';

/** More rounds at one instant turn in circles. */
const MOST_ROUNDS = 2_000;

/** The hosts that poll. */
export interface Hosts {
  /** The planner of a living host and all jobs that are due, until nothing is due any more. Without a host nothing happens. */
  work(): Promise<void>;
  /** From its n-th next statement on the host is dead: its claims fall silent. */
  killOne(statements: number): void;
  killAll(): void;
  /** New processes in the place of those that died. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

interface Host {
  readonly worker: Worker;
  readonly underWay: JobsUnderWay;
}

/** Starts two hosts on a database, which may be cut off. */
export async function startHosts(given: {
  readonly database: Database;
  readonly sealing: Sealing;
  readonly time: ModelTime;
  readonly registry: Registry;
}): Promise<Hosts> {
  const { database } = given;
  const start = async (): Promise<Host> => {
    const worker = await startWorker({ ...given, windowReadings: 10_000 });
    return { worker, underWay: jobsUnderWay(database, worker.id) };
  };
  let hosts = [await start(), await start()];
  const buried: Host[] = [];
  let turn = 0;
  const living = (): Host[] => hosts.filter(({ worker }) => !worker.dead());

  /** @returns how many jobs there were */
  async function round(): Promise<number> {
    const { queue, added } = recordingQueue();
    for (const { underWay } of living()) await underWay.giveBack();
    await planOnce(database, queue);
    for (const { work, id } of added) {
      const present = living();
      const host = present[turn++ % present.length];
      if (host === undefined) return 0;
      await host.underWay.run(work, id, () => host.worker.run(work, id));
      const [bug] = host.worker.bugs;
      if (bug !== undefined) throw new Error(`a fault "bug": ${bug}`);
    }
    return added.length;
  }

  return {
    async work() {
      for (let rounds = 0; living().length > 0; rounds += 1) {
        if (rounds > MOST_ROUNDS) throw new Error('the hosts turn in circles');
        try {
          if ((await round()) === 0) return;
        } catch (error) {
          if (!isDatabaseAway(error)) throw error;
          return;
        }
      }
    },
    killOne(statements) {
      const victim = living()[turn % 2];
      victim?.worker.killAfter(statements, statements % 2 === 1);
    },
    killAll() {
      for (const { worker } of living()) worker.killAfter(0, false);
    },
    async restart() {
      buried.push(...hosts.filter(({ worker }) => worker.dead()));
      hosts = [...living()];
      while (hosts.length < 2) hosts.push(await start());
    },
    async close() {
      for (const { worker } of [...buried, ...hosts]) await worker.close();
    },
  };
}
