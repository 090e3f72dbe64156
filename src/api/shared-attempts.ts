import { createHash } from 'node:crypto';
import type { Database } from '../database/database.ts';

/** Tells all processes of a bridge of attempts in this one. */
export interface SharedAttempts {
  /**
   * Adds to the time until `key` has all its attempts again, ms. `learn` is called within some seconds with that time as all processes
   * together have it.
   */
  note(key: string, addMs: number, learn: (leftMs: number) => void): void;
  /** Tells nothing any more. */
  close(): void;
}

/** Attempts of so long are told together. */
const TOLD_MS = 1_000;

/** Adds what this process counted, and reads what all have counted of the same keys. */
const TELL = `
  insert into attempt as known (key, full_at)
  select key, now() + add * interval '1 millisecond' from unnest($1::text[], $2::float8[]) as told (key, add) order by key
  on conflict (key) do update set full_at = greatest(known.full_at, now()) + (excluded.full_at - now())
  returning key, (extract(epoch from full_at - now()) * 1000)::float8 as left`;

/**
 * Shares attempts through the database: one statement a second, and none where nobody tries anything. While the database is away,
 * each process counts alone. Keys are stored as hashes, because they hold addresses and names.
 */
export function sharedAttemptsOf(database: Pick<Database, 'rows'>, toldMs: number = TOLD_MS): SharedAttempts {
  interface Noted {
    addMs: number;
    learn: (leftMs: number) => void;
  }
  let noted = new Map<string, Noted>();
  let timer: NodeJS.Timeout | undefined;

  async function tell(): Promise<void> {
    const told = noted;
    noted = new Map();
    const all = [...told];
    const values = [all.map(([key]) => key), all.map(([, { addMs }]) => addMs)];
    try {
      for (const { key, left } of await database.rows<{ key: string; left: number }>(TELL, values))
        told.get(key)?.learn(left);
    } catch {
      // Counted here alone.
    }
  }

  return {
    note(key, addMs, learn) {
      const hash = createHash('sha256').update(key).digest('base64url');
      if (noted.size === 0) timer = setTimeout(() => void tell(), toldMs).unref();
      const before = noted.get(hash);
      noted.set(hash, { addMs: addMs + (before?.addMs ?? 0), learn });
    },
    close: () => clearTimeout(timer),
  };
}
