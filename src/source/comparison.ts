import type { Sealing } from '../access/sealing.ts';
import { sealedPaths, unseal } from '../access/sealed-config.ts';
import type { Instant } from '../core/instant.ts';
import { describeDifference } from '../core/source/difference.ts';
import type { Difference } from '../core/source/difference.ts';
import { isMapping } from '../core/source/path.ts';
import type { KindSchemas, SourceConfig, SourcePlatform } from '../core/source/source.ts';
import type { Database } from '../database/database.ts';
import { gathering } from '../database/gathering.ts';
import { parseListed } from '../platform/platforms-for.ts';
import { loadedOf } from '../platform/registry.ts';
import type { Platform } from '../platform/contract.ts';
import type { Listed } from '../platform/registry.ts';

/** A source as the database holds it. Instants in µs. */
export interface StoredSource {
  readonly id: number;
  readonly platform: string;
  readonly config: unknown;
  readonly project_id: number;
  readonly created_at: Instant;
  readonly start_at: Instant;
  /** The number of its streams that are read. */
  readonly streams: number;
}

/** What the database holds of a source that an operator wrote. */
export interface Found {
  /** Undefined where its organisation has no such project. */
  readonly projectId: number | undefined;
  readonly stored: StoredSource | undefined;
  /** Other organisations with a source of its name. */
  readonly namesakes: readonly string[];
}

/** Finds what the database holds of a source. Questions that come in together share a statement. */
export type Find = (source: Pick<SourceConfig, 'name' | 'organisation' | 'project'>) => Promise<Found>;

interface FoundRow extends Record<string, unknown>, Omit<Found, 'projectId' | 'stored'> {
  readonly place: number;
  readonly project: number | null;
  readonly stored: boolean;
}

const FIND = `
  with wanted as (
    select * from unnest($1::text[], $2::text[], $3::text[]) with ordinality as wanted (organisation, title, code, place)),
  others as (
    select place, array_agg(organisation_id order by organisation_id) as namesakes
    from wanted join source on name = title and organisation_id <> organisation group by place)
  select place, ml_project.id as project, coalesce(namesakes, '{}') as namesakes, source.id is not null as stored,
    source.id, platform, config, project_id, instant_of(source.created_at) as created_at, instant_of(start_at) as start_at,
    (select count(*) from stream where source_id = source.id and retired_at is null) as streams
  from wanted left join others using (place) left join ml_project on ml_project.organisation_id = organisation and ml_project.code = wanted.code
    left join source on source.organisation_id = organisation and source.name = title`;

export function findingOf(database: Database): Find {
  const find = gathering<Parameters<Find>[0], Found>(async (wanted) => {
    const rows = await database.rows<FoundRow>(FIND, [
      wanted.map(({ organisation }) => organisation),
      wanted.map(({ name }) => name),
      wanted.map(({ project }) => project),
    ]);
    return new Map(
      rows.map(({ place, project, namesakes, stored, ...row }) => [
        wanted[place - 1] as (typeof wanted)[number],
        { projectId: project ?? undefined, stored: stored ? (row as unknown as StoredSource) : undefined, namesakes },
      ]),
    );
  });
  return async (source) => (await find(source)) as Found;
}

/** The part of a platform that a registration needs. */
export type KnownPlatform = SourcePlatform & Pick<Platform, 'place' | 'renamed'>;

/** The schemas by which a stored configuration is read. */
export interface SourceSchemas {
  readonly platforms: readonly (KnownPlatform | Listed<KnownPlatform>)[];
  readonly kinds: KindSchemas;
}

/** The stored configuration: as parsed, and where this version no longer takes it, the parts that it takes, the others as written. */
export interface Before {
  readonly connection: unknown;
  readonly options: unknown;
  /** Undefined where this version does not take the list. */
  readonly sensors: SourceConfig['sensors'] | undefined;
  /** The platform's schema took the options, so the platform can name sensors under them. */
  readonly optionsParsed: boolean;
}

/** A source as its operator wrote it, beside the stored source of that name and organisation; `stored` is undefined for a new source. */
export interface Comparison {
  readonly stored: StoredSource | undefined;
  /** Undefined for a new source, and for one that is unchanged. */
  readonly before: Before | undefined;
  readonly action: 'created' | 'changed' | 'unchanged';
  readonly differences: readonly Difference[];
}

export async function compareWithStored(
  stored: StoredSource | undefined,
  sealing: Sealing,
  source: SourceConfig,
  { platforms, kinds }: SourceSchemas,
): Promise<Comparison> {
  if (stored === undefined) return { stored, before: undefined, action: 'created', differences: [] };
  const written = await opened(stored.config, sealing);
  const differences = describeDifference(written, source);
  if (differences.length === 0) return { stored, before: undefined, action: 'unchanged', differences };
  const before = await beforeOf(written.raw, stored, { platforms, kinds });
  return { stored, before, action: 'changed', differences };
}

async function beforeOf(
  raw: unknown,
  { platform: name }: StoredSource,
  { platforms, kinds }: SourceSchemas,
): Promise<Before> {
  const parsed = await parseListed(raw, platforms, { kinds });
  if (parsed.ok) return { ...parsed.source, optionsParsed: true };
  const { connection, options = {}, sensors = 'all' } = isMapping(raw) ? raw : {};
  const [platform] = await loadedOf(platforms, [name]);
  const taken = platform?.options.safeParse(options);
  return {
    connection,
    sensors: sensors === 'all' ? sensors : undefined,
    options: taken?.success ? taken.data : options,
    optionsParsed: taken?.success === true,
  };
}

/** Takes the place of a secret whose sealing key is lost. No operator writes it, so every secret differs from it. */
const LOST = JSON.stringify('\0');

/** Opens a stored configuration. A lost sealing key is no error, because the operator repairs that by applying again. */
async function opened(config: unknown, sealing: Sealing): Promise<{ raw: unknown; secrets: readonly string[] }> {
  const open = (sealed: string): Promise<string> => sealing.open(sealed).catch(() => LOST);
  return { raw: await unseal(config, { ...sealing, open }), secrets: sealedPaths(config) };
}
