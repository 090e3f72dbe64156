import { formatInstant } from '../core/instant.ts';
import type { Instant } from '../core/instant.ts';
import type { Database } from '../database/database.ts';
import type { PushCounts } from './pushed-commit.ts';

/** A push that was answered. */
export interface PushUse extends PushCounts {
  readonly applicationId: string;
  readonly at: Instant;
  /** Bytes of its body, after unpacking. */
  readonly bytes: number;
}

/** The sums of pushes by application. */
export interface PushUses {
  note(push: PushUse): void;
  /** Writes the sums that were noted since. Where that fails they are kept for the next time. */
  readonly flush: () => Promise<void>;
}

/** Applications in the order of their ids, so that two processes never wait for each other in a ring. One that was removed meanwhile is left out. */
const ADD = `
  insert into application_use as known (application_id, last_push_at, pushes, accepted, duplicates, revised, bytes)
  select application.id, at, pushes, accepted, duplicates, revised, bytes
  from jsonb_to_recordset($1::jsonb) as one ("applicationId" text, at timestamptz, pushes bigint, accepted bigint,
    duplicates bigint, revised bigint, bytes bigint)
  join application on application.id = "applicationId" order by 1
  on conflict (application_id) do update set last_push_at = greatest(known.last_push_at, excluded.last_push_at),
    pushes = known.pushes + excluded.pushes, accepted = known.accepted + excluded.accepted,
    duplicates = known.duplicates + excluded.duplicates, revised = known.revised + excluded.revised,
    bytes = known.bytes + excluded.bytes`;

type Sum = PushUse & { readonly pushes: number };

/** One for each process. Gathers in memory, because no push should need one more statement. */
export function pushUsesOf(database: Database): PushUses {
  let sums = new Map<string, Sum>();
  let flushing: Promise<void> | undefined;

  function add(more: Sum): void {
    const known = sums.get(more.applicationId);
    sums.set(more.applicationId, known === undefined ? more : added(known, more));
  }

  async function write(): Promise<void> {
    const taken = sums;
    if (taken.size === 0) return;
    sums = new Map();
    try {
      const rows = [...taken.values()].map((sum) => ({ ...sum, at: formatInstant(sum.at) }));
      await database.run(ADD, [JSON.stringify(rows)]);
    } catch (error) {
      for (const sum of taken.values()) add(sum);
      throw error;
    }
  }

  return {
    note: (push) => add({ ...push, pushes: 1 }),
    async flush() {
      // What was noted meanwhile waits for the statement under way.
      await flushing?.catch(() => undefined);
      flushing ??= write().finally(() => (flushing = undefined));
      await flushing;
    },
  };
}

const added = (one: Sum, other: Sum): Sum => ({
  applicationId: one.applicationId,
  at: Math.max(one.at, other.at),
  pushes: one.pushes + other.pushes,
  accepted: one.accepted + other.accepted,
  duplicates: one.duplicates + other.duplicates,
  revised: one.revised + other.revised,
  bytes: one.bytes + other.bytes,
});
