import type { Instant } from '../../core/instant.ts';
import type { Database } from '../../database/database.ts';
import type { ProjectName } from './remote.ts';

/** A reading of a project that is stored here and was refused there. */
export interface RemoteRefusal {
  /** Null for what a client pushed. */
  readonly source: string | null;
  readonly sensor: string;
  readonly variable: string;
  readonly at: Instant;
  /** Value, and the reason and message of the other service. */
  readonly raw: string;
  readonly notedAt: Instant;
}

/** The latest ones that were kept. */
export const remoteRefusals = (database: Database, project: ProjectName, limit: number): Promise<RemoteRefusal[]> =>
  database.rows<RemoteRefusal & Record<string, unknown>>(
    `select source.name as source, sensor, variable, instant_of(at) as at, raw, instant_of(noted_at) as "notedAt"
     from refusal join ml_project on ml_project.id = refusal.project_id
       left join stream on stream.id = stream_id left join source on source.id = source_id
     where organisation_id = $1 and code = $2 order by noted_at desc, refusal.id desc limit $3`,
    [project.organisation, project.code, limit],
  );
