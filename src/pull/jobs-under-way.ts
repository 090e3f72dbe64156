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

export function jobsUnderWay(database: Pick<Database, 'rows' | 'run'>, workerId: string): JobsUnderWay {
  /** Jobs that run, or whose claim is on its way back: none of them begins here meanwhile, because it would lose its claim. */
  const busy = new Set<string>();
  let lookAt = 0;
  return {
    async run(work, id, job) {
      const key = keyOf(work, id);
      if (busy.has(key)) return;
      busy.add(key);
      try {
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
      const before = new Set(busy);
      const given: (Held & { readonly key: string })[] = [];
      try {
        for (const { kind, id } of await database.rows<Held>(HELD, [workerId])) {
          const key = keyOf(kind, id);
          if (!before.has(key) && !busy.has(key)) given.push({ kind, id, key });
        }
        for (const { key } of given) busy.add(key);
        if (given.length === 0) return;
        await database.run(GIVE_BACK, [given.map(({ kind }) => kind), given.map(({ id }) => id), workerId]);
      } catch (error) {
        lookAt = 0;
        throw error;
      } finally {
        for (const { key } of given) busy.delete(key);
      }
    },
  };
}

type Held = { readonly kind: Work; readonly id: number };

const keyOf = (work: Work, id: number): string => `${work} ${id}`;

const HELD = 'select kind, id from work where claimed_by = $1';

const GIVE_BACK = `
  update work set claimed_by = null from unnest($1::text[], $2::int[]) as given (kind, id)
  where work.kind = given.kind and work.id = given.id and claimed_by = $3`;
