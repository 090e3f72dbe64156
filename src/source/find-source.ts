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

const SOURCES = 'select id, name, organisation_id as organisation, project_id as "projectId" from source';

/** The source of a name and an organisation; undefined where there is none. */
export const sourceOf = (database: Database, { name, organisation }: SourceName): Promise<FoundSource | undefined> =>
  database.row<FoundSource & Record<string, unknown>>(`${SOURCES} where name = $1 and organisation_id = $2`, [
    name,
    organisation,
  ]);

/** Throws `config-invalid` for an unknown source, and for a name that stands in several organisations where none is given. */
export async function findSource(database: Database, { name, organisation }: WantedSource): Promise<FoundSource> {
  const found = await database.rows<FoundSource & Record<string, unknown>>(
    `${SOURCES} where name = $1 and ($2::text is null or organisation_id = $2) order by organisation_id`,
    [name, organisation ?? null],
  );
  return onlyOne(found, { name, organisation });
}

/** The only source of a name. Throws `config-invalid` for none, and for several. */
export function onlyOne<T extends SourceName>(found: readonly T[], { name, organisation }: WantedSource): T {
  const [first, second] = found;
  if (first === undefined) throw unknownSource({ name, organisation });
  if (second === undefined) return first;
  throw configInvalid(
    `source ${name} stands in ${found.length} organisations: ${found.map((one) => one.organisation).join(', ')}`,
    `name one of them, such as --organisation ${first.organisation}`,
    'source',
  );
}

/** Whether a name is a pattern: `*` stands for any text, `?` for one character. No name of a source holds either. */
export const isPattern = (name: string): boolean => /[*?]/.test(name);

/**
 * The sources that names and patterns mean, each once, in the order of the names. Throws `config-invalid` for a name or pattern
 * without a source, and where one means sources of several organisations and none is given.
 */
export async function findSources(
  database: Database,
  names: readonly string[],
  organisation: string | undefined,
): Promise<readonly FoundSource[]> {
  const found = new Map<number, FoundSource>();
  for (const name of names) {
    const sources = isPattern(name)
      ? await matching(database, name, organisation)
      : [await findSource(database, { name, organisation })];
    for (const source of sources) found.set(source.id, source);
  }
  return [...found.values()];
}

async function matching(
  database: Database,
  pattern: string,
  organisation: string | undefined,
): Promise<readonly FoundSource[]> {
  const like = pattern
    .replaceAll(/[\\%_]/g, '\\$&')
    .replaceAll('*', '%')
    .replaceAll('?', '_');
  const found = await database.rows<FoundSource & Record<string, unknown>>(
    `${SOURCES} where name like $1 and ($2::text is null or organisation_id = $2) order by name, organisation_id`,
    [like, organisation ?? null],
  );
  return ofOneOrganisation(found, pattern, organisation);
}

/** The sources that a pattern matches. Throws `config-invalid` for none, and where they belong to several organisations. */
export function ofOneOrganisation<T extends SourceName>(
  found: readonly T[],
  pattern: string,
  organisation: string | undefined,
): readonly T[] {
  if (found.length === 0)
    throw configInvalid(
      `no source${organisation === undefined ? '' : ` of organisation ${organisation}`} matches ${pattern}`,
      'databridge source list shows all sources',
      'source',
    );
  const organisations = [...new Set(found.map((one) => one.organisation))];
  if (organisations.length === 1) return found;
  throw configInvalid(
    `${pattern} matches sources of ${organisations.length} organisations: ${organisations.join(', ')}`,
    `name one of them, such as --organisation ${organisations[0]}`,
    'source',
  );
}

/** All sources, or those of an organisation. */
export const allSources = (database: Database, organisation?: string): Promise<FoundSource[]> =>
  database.rows<FoundSource & Record<string, unknown>>(
    `${SOURCES} where $1::text is null or organisation_id = $1 order by organisation_id, name`,
    [organisation ?? null],
  );
