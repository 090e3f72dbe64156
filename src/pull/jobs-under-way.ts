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
  /** Ids that run, or whose claim is on its way back: no job of them begins here meanwhile, because it would lose its claim. */
  const busy: Readonly<Record<Work, Set<number>>> = { poll: new Set(), look: new Set(), history: new Set() };
  const unreported: Readonly<Record<Work, Set<number>>> = { poll: new Set(), look: new Set(), history: new Set() };

  async function giveBackOf(work: Work): Promise<void> {
    const ids = [...unreported[work]];
    if (ids.length === 0) return;
    unreported[work].clear();
    for (const id of ids) busy[work].add(id);
    try {
      await database.run('update work set claimed_by = null where kind = $1 and id = any($2) and claimed_by = $3', [
        work,
        ids,
        workerId,
      ]);
    } catch (error) {
      for (const id of ids) unreported[work].add(id);
      throw error;
    } finally {
      for (const id of ids) busy[work].delete(id);
    }
  }

  return {
    async run(work, id, job) {
      if (busy[work].has(id)) return;
      busy[work].add(id);
      // The claim is still this worker's, so the job takes it again.
      unreported[work].delete(id);
      try {
        await job();
      } catch (error) {
        unreported[work].add(id);
        throw error;
      } finally {
        busy[work].delete(id);
      }
    },
    async giveBack() {
      for (const work of ['poll', 'look', 'history'] as const) await giveBackOf(work);
    },
  };
}
