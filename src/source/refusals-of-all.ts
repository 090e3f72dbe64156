import { HOUR } from '../core/instant.ts';
import type { ReasonSum, RefusalSum } from '../core/kept-refusals.ts';
import type { RefusalReason } from '../core/reading.ts';
import type { Database } from '../database/database.ts';

/** The refusals of many sources that are asked for; what is undefined leaves none out. */
export interface WantedOfAll {
  /** The organisations whose sources are meant. */
  readonly organisations?: readonly string[] | undefined;
  readonly source?: string | undefined;
  readonly project?: string | undefined;
  readonly reason?: RefusalReason | undefined;
  /** The name that the platform gives it. */
  readonly sensor?: string | undefined;
}

/** The refused points of one variable of a source that stand, for one reason. */
export interface RefusalOfSource extends Omit<RefusalSum, 'examples'> {
  readonly organisation: string;
  readonly source: string;
  readonly project: string;
}

/** The order of the list, and so the place behind which a page begins: organisation, source, sensor, variable, reason. */
export const placeOfRefusal = ({
  organisation,
  source,
  sensor,
  variable,
  reason,
}: RefusalOfSource): readonly string[] => [organisation, source, sensor, variable, reason];

/** Texts of a place of `placeOfRefusal`. */
export const PLACE_PARTS = 5;

const FROM = `
  from refused_hour join stream on stream.id = stream_id join source on source.id = stream.source_id
  join ml_project on ml_project.id = source.project_id
  where retired_at is null and cardinality(points) > 0
    and ($1::text[] is null or source.organisation_id = any($1)) and ($2::text is null or source.name = $2)
    and ($3::text is null or ml_project.code = $3) and ($4::text is null or reason = $4) and ($5::text is null or sensor = $5)`;

/** SQL: the number of the points and the first and the last instant, over hours of `refused_hour`. */
const SUMS = `
  sum(cardinality(points))::bigint as refused, min(instant_of(hour) + ${HOUR / 2} + points[1]) as first,
  max(instant_of(hour) + ${HOUR / 2} + points[cardinality(points)]) as last`;

const valuesOf = ({ organisations, source, project, reason, sensor }: WantedOfAll): unknown[] => [
  organisations ?? null,
  source ?? null,
  project ?? null,
  reason ?? null,
  sensor ?? null,
];

/** The refused points of many sources that stand, at most `limit` variables behind a place of `placeOfRefusal`. */
export const refusalsOfSources = (
  database: Database,
  wanted: WantedOfAll,
  { after, limit }: { readonly after?: readonly string[] | undefined; readonly limit: number },
): Promise<RefusalOfSource[]> =>
  database.rows<RefusalOfSource & Record<string, unknown>>(
    `select source.organisation_id as organisation, source.name as source, code as project, sensor, variable, reason, ${SUMS}
     ${FROM} and ($6::text[] is null or
       (source.organisation_id collate "C", source.name collate "C", sensor collate "C", variable collate "C", reason collate "C")
         > ($6[1], $6[2], $6[3], $6[4], $6[5]))
     group by 1, 2, 3, 4, 5, 6
     order by source.organisation_id collate "C", source.name collate "C", sensor collate "C", variable collate "C", reason collate "C"
     limit $7`,
    [...valuesOf(wanted), after?.length === PLACE_PARTS ? after : null, limit],
  );

/** Their sums by reason, the most frequent one first, over all pages. */
export const reasonsOfSources = (database: Database, wanted: WantedOfAll): Promise<ReasonSum[]> =>
  database.rows<ReasonSum & Record<string, unknown>>(
    `select reason, count(distinct (source.id, sensor, variable)) as series, ${SUMS} ${FROM} group by 1 order by refused desc, 1`,
    valuesOf(wanted),
  );
