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
   * Gives back the claims of jobs that ended without their report. Until then no other worker takes them, because this one lives.
   * Throws where the database is away; the next call tries them again.
   */
  giveBack(): Promise<void>;
}

export function jobsUnderWay(database: Pick<Database, 'run'>, workerId: string): JobsUnderWay {
  /** Jobs that run, or whose claim is on its way back: none of them begins here meanwhile, because it would lose its claim. */
  const busy = new Set<string>();
  const unreported = new Map<string, { readonly work: Work; readonly id: number }>();
  return {
    async run(work, id, job) {
      const key = `${work} ${id}`;
      if (busy.has(key)) return;
      busy.add(key);
      // The claim is still this worker's, so the job takes it again.
      unreported.delete(key);
      try {
        await job();
      } catch (error) {
        unreported.set(key, { work, id });
        throw error;
      } finally {
        busy.delete(key);
      }
    },
    async giveBack() {
      const given = [...unreported];
      if (given.length === 0) return;
      unreported.clear();
      for (const [key] of given) busy.add(key);
      try {
        await database.run(GIVE_BACK, [given.map(([, { work }]) => work), given.map(([, { id }]) => id), workerId]);
      } catch (error) {
        for (const [key, one] of given) unreported.set(key, one);
        throw error;
      } finally {
        for (const [key] of given) busy.delete(key);
      }
    },
  };
}

const GIVE_BACK = `
  update work set claimed_by = null from unnest($1::text[], $2::int[]) as given (kind, id)
  where work.kind = given.kind and work.id = given.id and claimed_by = $3`;
