import type { Database } from '../../src/database/database.ts';
import type { Work } from '../../src/queue/queue.ts';

/** Makes the history of streams due, e.g. `from stream where id = 1`, as if there were more to ask for. */
export const dueHistories = (
  database: Pick<Database, 'run'>,
  streams = 'from stream',
  { at = 'now()', failures = 0 }: { readonly at?: string; readonly failures?: number } = {},
): Promise<number> =>
  database.run(
    `insert into work (kind, id, source_id, due_at, failures) select 'history', stream.id, source_id, ${at}, ${failures} ${streams}
     on conflict (kind, id) do update set due_at = excluded.due_at, failures = excluded.failures, sent_at = null`,
  );

/** Makes the looks of all sources due. */
export const dueLooks = (database: Pick<Database, 'run'>, at = 'now()'): Promise<number> =>
  database.run(
    `insert into work (kind, id, source_id, due_at) select 'look', id, id, ${at} from source
     on conflict (kind, id) do update set due_at = excluded.due_at, sent_at = null`,
  );

/** SQL for a column of the row of `work` of `source` or, in history, of `stream`; null where there is none. */
export const workOf = (kind: Work, column: string): string =>
  `(select work.${column} from work where work.kind = '${kind}' and work.id = ${kind === 'history' ? 'stream' : 'source'}.id)`;
