import { unseal } from '../access/sealed-config.ts';
import { FEWEST_POINTS, adviceOf } from '../core/arrival.ts';
import type { Advice, LatePoints, Waits } from '../core/arrival.ts';
import { formatDuration } from '../core/duration.ts';
import { configInvalid } from '../core/errors.ts';
import { isMapping } from '../core/source/path.ts';
import { titleOf } from '../core/source/source-name.ts';
import type { Database } from '../database/database.ts';
import { parseListed, platformsFor } from '../platform/platforms-for.ts';
import type { Registry } from '../platform/registry.ts';
import type { FoundSource } from './find-source.ts';
import { applySource } from './registration.ts';
import type { Applied, ApplyPlace, ApplyWish } from './registration.ts';
import { REVISION_TAG } from './revision.ts';
import { shownConfig } from './shown-config.ts';

/** What a source should wait for late data, from what its looks for it found. */
export interface SourceAdvice {
  readonly name: string;
  readonly organisation: string;
  /** The state of the source that was read (`REVISION_TAG`). */
  readonly revisionTag: string;
  readonly share: number;
  readonly present: Waits;
  /** Null where too few points have come to tell. */
  readonly advice: Advice | null;
  /** No late point is further back than this was looked for, so nothing is known of later ones. */
  readonly lookBackAtMost: number;
}

/** Late data of longer ago says little of how the platform publishes today. */
const LOOKED_AT = '14 days';

/**
 * The log of windows is the sketch: each window that found late points says how many, and how old the oldest of its time was when it
 * was asked for. That is the most that its points can have been late, so the advice errs on the long side.
 */
const LATE = `
  select sum(late) as points, instant_of(asked_at) - instant_of(from_at) as age
  from window_log where source_id = $1 and late > 0 and asked_at > now() - interval '${LOOKED_AT}' group by 2`;

const POINTS = `
  select coalesce(sum(readings - duplicates), 0) as points from window_sum where source_id = $1 and hour > now() - interval '${LOOKED_AT}'`;

/** Proposes how long a source waits for its data, for a share of points between 0 and 1. Throws `config-invalid` for a configuration that this version does not know. */
export async function adviseSource(
  database: Database,
  registry: Registry,
  { id, name, organisation }: FoundSource,
  share: number,
): Promise<SourceAdvice> {
  const [late, sums, stored] = await Promise.all([
    database.rows<LatePoints & Record<string, unknown>>(LATE, [id]),
    database.row<{ points: number }>(POINTS, [id]),
    database.row<{ config: unknown; revision: string }>(
      `select config, ${REVISION_TAG} as revision from source where id = $1`,
      [id],
    ),
  ]);
  const shown = await shownConfig(stored?.config, registry);
  const parsed = await parseListed(shown, await platformsFor(registry, shown), { kinds: registry.kinds });
  if (!parsed.ok) throw notUnderstood(name);
  const { settle, overlap, lookBackAtMost, maxWindow } = parsed.source.schedule;
  // A backfill of covered time finds older points, which were refused or uploaded by hand, and which no overlap is for.
  const looked = late.filter(({ age }) => age <= Math.max(lookBackAtMost, overlap) + maxWindow);
  return {
    name,
    organisation,
    revisionTag: stored?.revision ?? '',
    share,
    present: { settle, overlap },
    advice:
      adviceOf({ points: sums?.points ?? 0, late: looked }, { settle, overlap }, { share, longest: maxWindow }) ?? null,
    lookBackAtMost,
  };
}

const notUnderstood = (name: string) =>
  configInvalid(
    `the configuration of ${name} is not understood by this version`,
    'databridge source apply stores it anew',
  );

/**
 * Applies the waits that were advised, as a change of the source as it was when they were. Throws `config-invalid` where there is no advice,
 * `ChangedMeanwhile` where another operator changed the source since.
 */
export async function applyAdvice(
  place: ApplyPlace & { readonly registry: Registry },
  advised: SourceAdvice,
  wish: ApplyWish,
): Promise<Applied> {
  const { database, sealing, registry } = place;
  const { advice, name, organisation, revisionTag } = advised;
  if (advice === null) throw configInvalid(`${titleOf(advised)}: ${TOO_FEW}`, 'let it poll for longer');
  const row = await database.row<{ config: unknown }>(
    'select config from source where name = $1 and organisation_id = $2',
    [name, organisation],
  );
  const raw = await unseal(row?.config, sealing);
  if (!isMapping(raw)) throw notUnderstood(name);
  const schedule = isMapping(raw['schedule']) ? raw['schedule'] : {};
  const waits = { settle: formatDuration(advice.settle), overlap: formatDuration(advice.overlap) };
  const input = { ...raw, schedule: { ...schedule, ...waits } };
  const parsed = await parseListed(input, await platformsFor(registry, input), {
    kinds: registry.kinds,
    now: wish.now,
  });
  if (parsed.ok) return await applySource(place, parsed.source, { ...wish, expected: revisionTag });
  const [problem] = parsed.problems;
  throw configInvalid(problem?.message ?? '', problem?.remedy ?? '', problem?.path);
}

/** Why there is no advice. */
export const TOO_FEW = `fewer than ${FEWEST_POINTS} points came in the last ${LOOKED_AT}, which tells too little`;

/** An advice as a JSON document: lengths of time as they are written in a source. */
export const adviceDocument = ({ present, advice, lookBackAtMost, ...named }: SourceAdvice) => ({
  ...named,
  present: waitsDocument(present),
  advice: advice && { ...advice, ...waitsDocument(advice) },
  lookBackAtMost: formatDuration(lookBackAtMost),
});

const waitsDocument = ({ settle, overlap }: Waits) => ({
  settle: formatDuration(settle),
  overlap: formatDuration(overlap),
});
