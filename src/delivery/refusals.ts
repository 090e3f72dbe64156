import type { Instant } from '../core/instant.ts';
import type { Database } from '../database/database.ts';
import { numberOf } from './remote.ts';
import type { ProjectName } from './remote.ts';

/** A reading of a project that is stored here and that the remote service refused. */
export interface RemoteRefusal {
  readonly id: number;
  /** Null for a reading that a client pushed. */
  readonly source: string | null;
  readonly sensor: string;
  readonly variable: string;
  readonly at: Instant;
  /** The value, and the reason and message of the remote service. */
  readonly raw: string;
  readonly notedAt: Instant;
}

/**
 * The newest `limit` refusals that were kept, of those before the one that was noted at an instant and has an id. Throws `config-invalid`
 * for an unknown project.
 */
export async function remoteRefusals(
  database: Database,
  project: ProjectName,
  limit: number,
  before?: { readonly notedAt: Instant; readonly id: number },
): Promise<RemoteRefusal[]> {
  return await database.rows<RemoteRefusal & Record<string, unknown>>(
    `select refusal.id, source.name as source, sensor, variable, instant_of(at) as at, raw, instant_of(noted_at) as "notedAt"
     from refusal left join stream on stream.id = stream_id left join source on source.id = source_id
     where refusal.project_id = $1 and application_id is null and ($3::bigint is null or (noted_at, refusal.id) < (at_instant($3), $4::bigint))
     order by noted_at desc, refusal.id desc limit $2`,
    [await numberOf(database.pool, project), limit, before?.notedAt ?? null, before?.id ?? null],
  );
}
