import type { Database } from '../database/database.ts';
import type { Work } from '../queue/queue.ts';

/** The jobs of one process. */
export interface JobsUnderWay {
  /**
   * Runs a job of a source or stream, unless it still runs here: the queue repeats a job that lost its lock, and the claim would let
   * this process begin it twice. An error of the job is thrown again; the job ended without its report then.
   */
  run(work: Work, id: number, job: () => Promise<void>): Promise<void>;
  /**
   * Gives back the claims that the database has for this process and that no job here works under: the job ended without its
   * report, or an operator restored a state of the database in which it still ran. No other worker takes them by itself, because
   * this one lives. It looks at the next call after a job ended so, and every half a minute. Throws where the database is away; the
   * next call tries again.
   */
  giveBack(): Promise<void>;
}

/** The database reads all work to find the claims of one process. */
const LOOK_MS = 30_000;

export function jobsUnderWay(database: Pick<Database, 'run'>, workerId: string): JobsUnderWay {
  const busy = new Map<string, { readonly work: Work; readonly id: number }>();
  let lookAt = 0;
  /** Claims on their way back. No job begins meanwhile, because it would lose its claim. */
  let giving: Promise<unknown> = Promise.resolve();
  return {
    async run(work, id, job) {
      const key = `${work} ${id}`;
      if (busy.has(key)) return;
      busy.set(key, { work, id });
      try {
        await giving;
        await job();
      } catch (error) {
        lookAt = 0;
        throw error;
      } finally {
        busy.delete(key);
      }
    },
    async giveBack() {
      if (performance.now() < lookAt) return;
      // Before the look, because a job may end without its report during it.
      lookAt = performance.now() + LOOK_MS;
      const jobs = [...busy.values()];
      const given = database.run(GIVE_BACK, [jobs.map(({ work }) => work), jobs.map(({ id }) => id), workerId]);
      giving = given.catch(() => (lookAt = 0));
      await given;
    },
  };
}

const GIVE_BACK = `
  update work set claimed_by = null
  where claimed_by = $3 and not exists (select from unnest($1::text[], $2::int[]) as job (kind, id) where job.kind = work.kind and job.id = work.id)`;
