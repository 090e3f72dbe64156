import { randomUUID } from 'node:crypto';
import type { PoolClient } from 'pg';
import { gathering } from './gathering.ts';

/** The part of a database that a memory uses. */
interface Ground {
  transaction<T>(work: (client: PoolClient) => Promise<T>): Promise<T>;
}

/** Names what a process remembered at an instant. */
export interface Stamp {
  /** Changes when the process forgets everything. */
  readonly process: string;
  /** Grows with everything it learns; 0 where it remembers nothing. */
  readonly mark: number;
}

/**
 * The memory of one process: numbers, names and tables that it has seen in the database and does not look up again. An
 * operator may put an older state in place of the database under the process, and its numbers then mean other things. So each
 * statement that relies on something remembered compares the stamp (`REMEMBERS`), which costs one look at one row.
 *
 * This is exact: a state of the database holds the mark of a process only if it holds everything the process had learned by
 * then, because both are in one transaction. A row of another state has an older mark, or there is none.
 */
export interface Memory {
  readonly stamp: () => Stamp;
  /**
   * Looks something up that is to be remembered. Looks that come in together share a transaction, one after the other. A look that
   * waits for a lock keeps others waiting for a second at most (gathering.ts). `look` may run more than once: alone, after one
   * beside it failed, and again where the database holds an older state, after the process has forgotten everything.
   */
  learn<T>(look: Look<T>): Promise<T>;
  /** Call it after a statement that wrote nothing. @returns true where the database holds an older state; all is forgotten */
  review(): Promise<boolean>;
  /** `forget` empties one cache. It must not wait for anything. */
  onForget(forget: () => void): void;
}

type Look<T> = (client: PoolClient) => Promise<T>;

/** SQL condition: the database holds everything that a stamp stands for, given as SQL. */
export const remembers = (mark: string, process: string): string =>
  `(${mark} = 0 or exists (select from memory where memory.process = ${process} and memory.mark >= ${mark}))`;

/** SQL condition: the database holds everything that the stamp with these parameters stands for. */
export const REMEMBERS = remembers('$mark::bigint', '$process::uuid');

const BEGIN = 'insert into memory (process, mark) values ($1, $2::bigint + 1) on conflict do nothing';
const GO_ON = 'update memory set mark = mark + 1, at = now() where process = $1 and mark = $2';

export function memoryOf(database: Ground): Memory {
  const caches: (() => void)[] = [];
  let process: string = randomUUID();
  let mark = 0;
  let turn = Promise.resolve();

  /**
   * Waits for the turn. The answer ends it. Only a transaction enters, because it has its connection already: one that waited for a
   * connection in its turn could wait for those that hold all connections and wait for the turn.
   */
  async function enter(): Promise<() => void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = turn;
    turn = promise;
    await before;
    return resolve;
  }

  function forget(): void {
    process = randomUUID();
    mark = 0;
    for (const empty of caches) empty();
  }

  const learn = gathering<Look<unknown>, unknown>(async (looks) => {
    for (;;) {
      const begun = process;
      let leave: (() => void) | undefined;
      try {
        const learned = await database.transaction(async (client) => {
          const found = new Map<Look<unknown>, unknown>();
          for (const look of looks) found.set(look, await look(client));
          leave = await enter();
          if (process !== begun) return undefined;
          const { rowCount } = await client.query(mark === 0 ? BEGIN : GO_ON, [process, mark]);
          return { found, remembers: rowCount === 1 };
        });
        if (learned?.remembers) {
          mark += 1;
          return learned.found;
        }
        if (learned !== undefined) forget();
      } finally {
        leave?.();
      }
    }
  });

  return {
    stamp: () => ({ process, mark }),
    async learn<T>(look: Look<T>) {
      return (await learn(look)) as T;
    },
    async review() {
      let leave: (() => void) | undefined;
      try {
        return await database.transaction(async (client) => {
          leave = await enter();
          if (mark === 0) return false;
          const { rowCount } = await client.query('select from memory where process = $1 and mark >= $2', [
            process,
            mark,
          ]);
          if (rowCount === 1) return false;
          forget();
          return true;
        });
      } finally {
        leave?.();
      }
    },
    onForget(cache) {
      caches.push(cache);
    },
  };
}

/** Removes the rows of processes that have learned nothing for long. One that still runs begins anew. */
export const dropOldMemories = (database: { run(text: string): Promise<number> }): Promise<number> =>
  database.run(`delete from memory where at < now() - interval '30 days'`);
