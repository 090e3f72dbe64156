import { formatLocal } from './instant.ts';
import type { Instant, LocalTime } from './instant.ts';
import type { Quality } from './quality.ts';
import type { RefusalReason } from './reading.ts';
import type { Samples } from './samples.ts';
import { holds } from './window.ts';
import type { Window } from './window.ts';
import type { LocalStretch, Zone } from './zone.ts';

/** How a source reads the local times of its platform. `dst`: which instant a local time that was shown twice means. */
export interface LocalTimes {
  readonly zone: Zone;
  readonly dst: 'earlier' | 'later' | 'refuse';
}

/** The label of a reading whose local time was shown twice, so that its instant is a choice of the source. */
export const AMBIGUOUS_TIME = 'ambiguous-time';

/** Samples with instants, or with the reason why none of them may become a reading. */
interface Timed {
  readonly samples: Samples;
  readonly reason: RefusalReason | undefined;
  /** With a reason: the instants in whose windows the points count. */
  readonly places?: readonly Instant[];
}

/** What becomes of a point: its instant, or the reason for none. Undefined: another window, which asks for it as well, has its instant. */
interface Verdict {
  readonly at: Instant;
  readonly kind: 'plain' | OddKind;
}

type OddKind = 'ambiguous' | 'local-time-missing' | 'local-time-repeated';

/**
 * A page of local times → the same points by instants. A local time that was shown twice is asked by the windows of both its
 * instants, and belongs to one of them. A local time that never existed counts in the window of the instant that it would be
 * if the clocks had not been changed.
 */
export function inInstants(page: Samples, { zone, dst }: LocalTimes, window: Window): readonly Timed[] {
  const at: Instant[] = [];
  const odd = new Map<OddKind, number[]>();
  const omitted = new Set<number>();
  let stretch: LocalStretch | undefined;
  for (let index = 0; index < page.at.length; index += 1) {
    const local = page.at[index] as LocalTime;
    if (!Number.isInteger(local)) {
      at.push(local);
      continue;
    }
    if (stretch === undefined || local < stretch.from || local >= stretch.to) stretch = zone.localStretchAt(local);
    const { offsets } = stretch;
    if (offsets.length === 1) {
      at.push(local - (offsets[0] as number));
      continue;
    }
    const verdict = judge(local, stretch, dst, window);
    at.push(verdict?.at ?? NaN);
    if (verdict === undefined) omitted.add(index);
    else if (verdict.kind !== 'plain') odd.set(verdict.kind, [...(odd.get(verdict.kind) ?? []), index]);
  }
  if (odd.size === 0 && omitted.size === 0) return [{ samples: { ...page, at }, reason: undefined }];
  const apart = new Set([...omitted, ...[...odd.values()].flat()]);
  const plain = at.map((_, index) => index).filter((index) => !apart.has(index));
  return [
    { samples: chosen(page, plain, at), reason: undefined },
    ...[...odd].map(([kind, indexes]) => timed(page, indexes, at, kind)),
  ];
}

function judge(local: LocalTime, stretch: LocalStretch, dst: LocalTimes['dst'], window: Window): Verdict | undefined {
  const instants = stretch.offsets.map((offset) => local - offset);
  const own = (dst === 'later' ? instants.at(-1) : instants[0]) ?? local - stretch.before;
  if (!holds(window, own)) return instants.some((at) => holds(window, at)) ? undefined : { at: own, kind: 'plain' };
  if (instants.length === 0) return { at: own, kind: 'local-time-missing' };
  return { at: own, kind: dst === 'refuse' ? 'local-time-repeated' : 'ambiguous' };
}

function timed(page: Samples, indexes: readonly number[], at: readonly Instant[], kind: OddKind): Timed {
  if (kind === 'ambiguous') {
    const samples = chosen(page, indexes, at);
    return { samples: { ...samples, labels: [...(page.labels ?? []), AMBIGUOUS_TIME] }, reason: undefined };
  }
  // Without an instant, an operator is shown the local time.
  const text = (index: number): string => page.rawInstants?.[index] ?? formatLocal(page.at[index] as LocalTime);
  const samples = { ...chosen(page, indexes, at), at: indexes.map(() => NaN), rawInstants: indexes.map(text) };
  return { samples, reason: kind, places: indexes.map((index) => at[index] as Instant) };
}

/** The samples at some places of a page, by their instants. */
function chosen(page: Samples, indexes: readonly number[], at: readonly Instant[]): Samples {
  const pick = <T>(column: readonly T[]): T[] => indexes.map((index) => column[index] as T);
  return {
    ...page,
    at: pick(at),
    values: pick(page.values),
    ...(Array.isArray(page.quality) && { quality: pick(page.quality as readonly Quality[]) }),
    ...(page.rawInstants && { rawInstants: pick(page.rawInstants) }),
  };
}
