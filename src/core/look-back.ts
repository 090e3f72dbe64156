import { coverageOf, subtract, union } from './coverage.ts';
import type { Coverage } from './coverage.ts';
import type { Instant, Microseconds } from './instant.ts';
import type { Window } from './window.ts';

/**
 * Which covered time is asked for once more, because late data may have come into it. Looks are owed when the end of the coverage
 * moves: at the overlap, into which points come late every day, and at growing ages, because a gateway that was cut off uploads
 * its buffer hours or days later. The commit that moves the end notes the looks that its window did not hold, so no process has to
 * remember them.
 */
export interface LookBack {
  /** No time before this instant is asked for. */
  readonly start: Instant;
  /** The grid of the source's windows, whole µs. */
  readonly align: Microseconds;
  /**
   * At this instant readings got other names or another owner. Looks beyond the overlap reach no further back, because the bridge would
   * store earlier points a second time, or over those of another owner. They hold the whole step of the grid around this instant,
   * because points that were measured after it may come late, too.
   */
  readonly looksFrom?: Instant | null;
  /** How late a point may come so that the looks at the overlap find it, µs; 0: the bridge looks for no late data. */
  readonly overlap: Microseconds;
  /** The oldest age of a point that is looked for, µs; 0: none beyond the overlap. */
  readonly lookBackAtMost: Microseconds;
}

/** The default of `schedule.lookBackAtMost`. */
export const LOOK_BACK_AT_MOST = '30d';

/** The factor from one age to the next. A smaller one would find late data sooner, and have the platform answer for all its data more often. */
const AGES_APART = 8;

/** Looks at an age are taken in steps of this share of it; looks of one reach follow each other after this share of it. */
const SHARE = 4;

/** The bridge looks at the overlap this often while the edge moves by one overlap. It finds a late point at most a fourth of the overlap after it came. */
const LOOK_BACKS = 4;

/**
 * The look at the overlap that the bridge owes when the end of the coverage moves from `before` to `after`. The bridge owes it only when
 * the end passes a multiple of a fourth of the overlap, because it would otherwise ask a source that it polls every second for the
 * whole overlap every second. The look is longer by that fourth, so that two looks leave no time out.
 */
export function overlapLook({ start, align, overlap }: LookBack, before: Instant, after: Instant): Window | undefined {
  const step = Math.max(align, Math.ceil(overlap / LOOK_BACKS));
  const from = Math.max(start, before - overlap - step);
  const passes = Math.floor(before / step) !== Math.floor(after / step);
  return overlap > 0 && passes && from < before ? { from, to: before } : undefined;
}

/**
 * The ages at which all time is asked for once more, the oldest first: the bound, an eighth of it, and so on. An age near the
 * overlap would repeat the looks of live.
 */
export function agesOf({ overlap, lookBackAtMost }: LookBack): Microseconds[] {
  if (overlap === 0 || lookBackAtMost <= overlap) return [];
  const ages: Microseconds[] = [];
  for (let age = lookBackAtMost; age > SHARE * overlap; age = Math.floor(age / AGES_APART)) ages.push(age);
  return ages.length > 0 ? ages : [lookBackAtMost];
}

/**
 * The looks at the ages that the bridge owes when the end of the coverage moves from `before` to `after`. All time is looked at once at
 * each of the ages, in steps of a fourth of the age. A point that comes at most `lookBackAtMost` late is therefore found,
 * whatever came between, and whenever processes ran: after a downtime the step reaches over it.
 */
export const regularLooks = (look: LookBack, before: Instant, after: Instant): Coverage =>
  coverageOf(
    agesOf(look).map((age) => {
      const step = Math.max(look.align, Math.ceil(age / SHARE / look.align) * look.align);
      const stepBefore = (instant: Instant): Instant =>
        Math.max(oldestOf(look), Math.floor(instant / step) * step - Math.ceil(age / look.align) * look.align);
      return { from: stepBefore(before), to: stepBefore(after) };
    }),
  );

/**
 * The looks that the bridge owes because `window` moves the end of the coverage. They leave out the time of the window itself. History
 * may have filled a gap since the caller learned of `covered`, so the look at the overlap reaches to the new end, also over gaps.
 */
export function looksOwed(look: LookBack, covered: Coverage, window: Window): Coverage {
  const before = covered.at(-1)?.to ?? window.from;
  const after = Math.max(before, window.to);
  const overlap = overlapLook(look, before, after);
  return subtract(union(regularLooks(look, before, after), overlap ? [{ ...overlap, to: after }] : []), [window]);
}

/**
 * Whether looks for late data end before they find none: a point of this age was new in covered time, in the oldest step that
 * looks may take. There may be more late data beyond the bound.
 */
export const endsAtBound = (age: Microseconds, lookBackAtMost: Microseconds): boolean =>
  age > lookBackAtMost - lookBackAtMost / SHARE;

/** The oldest instant that looks beyond the overlap ask for. */
export const oldestOf = ({ start, looksFrom, align }: LookBack): Instant =>
  Math.max(start, Math.floor((looksFrom ?? -Infinity) / align) * align);

/** A further look: how far back it reached, µs, and when it was wanted. */
export interface FurtherLook {
  readonly reach: Microseconds;
  readonly at: Instant;
}

/**
 * After a window held new or revised readings in covered time, the oldest of them at `oldest`: the look to twice that age,
 * and the time that it adds. A buffer of any size is found this way as soon as one point of it was, because the looks
 * double until one finds nothing.
 *
 * A look of the same reach follows only after a fourth of that reach. A sensor that is revised for ever therefore leads the
 * bridge to the bound once in a fourth of the bound, and not with every look.
 */
export function furtherLook(
  look: LookBack,
  given: {
    readonly window: Window;
    readonly oldest: Instant;
    readonly edge: Instant;
    readonly now: Instant;
    readonly last: FurtherLook | undefined;
  },
): (FurtherLook & { readonly time: Coverage }) | undefined {
  const { window, oldest, edge, now, last } = given;
  const reach = Math.min(2 * (now - oldest), look.lookBackAtMost);
  const reached = last !== undefined && last.at <= now && now - last.at < last.reach / SHARE ? last.reach : 0;
  if (look.overlap === 0 || reach <= Math.max(look.overlap, reached)) return undefined;
  const grid = (instant: Instant): Instant => Math.floor(instant / look.align) * look.align;
  const from = Math.max(oldestOf(look), grid(now - reach));
  const to = reached === 0 ? edge : Math.min(edge, grid(now - reached) + look.align);
  return { reach, at: now, time: from < to ? subtract([{ from, to }], [window]) : [] };
}
