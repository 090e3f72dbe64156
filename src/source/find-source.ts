import { configInvalid } from '../core/errors.ts';
import type { SourceName } from '../core/source/source-name.ts';
import type { Database } from '../database/database.ts';
import { unknownSource } from './unusable-source.ts';

/** A source as an operator names it in a command. Without an organisation the name must stand in one organisation only. */
export interface WantedSource {
  readonly name: string;
  readonly organisation?: string | undefined;
}

export interface FoundSource extends SourceName {
  readonly id: number;
  readonly projectId: number;
}

/** Throws `config-invalid` for an unknown source, and for a name that stands in several organisations where none is given. */
export async function findSource(database: Database, { name, organisation }: WantedSource): Promise<FoundSource> {
  const found = await database.rows<FoundSource & Record<string, unknown>>(
    `select id, name, organisation_id as organisation, project_id as "projectId" from source
     where name = $1 and ($2::text is null or organisation_id = $2) order by organisation_id`,
    [name, organisation ?? null],
  );
  const [first, second] = found;
  if (first === undefined) throw unknownSource({ name, organisation });
  if (second === undefined) return first;
  throw configInvalid(
    `source ${name} stands in ${found.length} organisations: ${found.map((one) => one.organisation).join(', ')}`,
    `name one of them, such as --organisation ${first.organisation}`,
    'source',
  );
}
