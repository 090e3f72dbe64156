import { movedFields } from '../core/source/place.ts';
import type { SourceConfig } from '../core/source/source.ts';
import type { ClientBase } from 'pg';
import type { Comparison, KnownPlatform } from './comparison.ts';

/** The effect of an apply on the coverage of a source. */
export interface Move {
  /** `begins-anew`: the streams end, and new ones begin at the start of the source. The stored readings stay. */
  readonly coverage: 'kept' | 'begins-anew';
  /** The changed fields that say where the data is or where its readings go. */
  readonly fields: readonly string[];
  /** Those of `fields` that are references and were compared by their text. */
  readonly byText: readonly string[];
  /** The number of streams with that coverage. */
  readonly streams: number;
}

/**
 * Coverage says which time of one place was handed over, so it begins anew where the place changes, unless the operator says
 * that the same data is there (`sameData`). It also begins anew with another project, which has none of these readings, and
 * with another platform, which has other streams, and with another zone of a wall clock, under which other time was asked for.
 */
export function moveOf(
  source: SourceConfig,
  given: Pick<Comparison, 'stored' | 'before'> & {
    readonly platform: KnownPlatform;
    readonly projectId: number;
    readonly sameData: boolean;
  },
): Move {
  const { stored, before, platform, projectId, sameData } = given;
  if (stored === undefined) return { coverage: 'kept', fields: [], byText: [], streams: 0 };
  const places = stored.platform === source.platform ? movedFields(placeOf(platform), before, source) : [];
  const others = [
    ...(stored.project_id === projectId ? [] : ['project']),
    ...(stored.platform === source.platform ? [] : ['platform']),
  ];
  return {
    coverage: others.length > 0 || (places.length > 0 && !sameData) ? 'begins-anew' : 'kept',
    fields: [...others, ...places.map(({ path }) => path)],
    byText: places.filter(({ byText }) => byText).map(({ path }) => path),
    streams: stored.streams,
  };
}

/** Where a platform tells the time of a wall clock, each point has another instant under another zone. */
const placeOf = ({ place, facts }: KnownPlatform): readonly string[] =>
  facts.localTime ? [...place, 'mapping.timezone'] : place;

/** Ends all streams of a source. Their keys become free; the next look for sensors makes new streams. */
export async function retireStreams(client: ClientBase, sourceId: number): Promise<void> {
  await client.query(
    `update stream set retired_at = now(), key = key || '~' || id where source_id = $1 and retired_at is null`,
    [sourceId],
  );
  await client.query(`delete from work where source_id = $1 and kind <> 'look'`, [sourceId]);
}
