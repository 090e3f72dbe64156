import { DAY, HOUR, MINUTE } from './instant.ts';
import type { Instant, Microseconds } from './instant.ts';
import type { Window } from './window.ts';

/**
 * How a sensor gives its readings. A gap is the time without a reading between two that follow each other, or the time that the bridge
 * waited for the second one, where that is longer: a platform that publishes late has no gap, and its newest reading is old all the same.
 */
export interface SensorRhythm {
  /** Null before its first reading. */
  readonly newestAt: Instant | null;
  /** The longest gap that ended in this period; null where none is known. */
  readonly longest: Microseconds | null;
  /** The same of the period before. */
  readonly before: Microseconds | null;
}

/** Longest gaps are kept for this period and the one before, so that each holds a weekend and the day after. */
export const RHYTHM_PERIOD: Microseconds = 8 * DAY;

/** A sensor may be silent for so many times its longest gap. */
const TIMES = 3;
/** Shorter silences are no news, whatever the rhythm is. */
const SHORTEST: Microseconds = 15 * MINUTE;
/** How long a sensor of which no gap is known may be silent. */
const UNKNOWN: Microseconds = 6 * HOUR;

/** The longest gap of a sensor in its last two periods; null where none is known. */
export const longestGap = ({ longest, before }: SensorRhythm): Microseconds | null =>
  longest === null || before === null ? (longest ?? before) : Math.max(longest, before);

/** A silence is doubted after so many longest gaps, or so many intervals of the source. */
const DOUBT_TIMES = 2;
/** Shorter silences are not doubted. */
const DOUBT_SHORTEST: Microseconds = 5 * MINUTE;

/** What the schedule of its source says of a sensor. */
interface Asked {
  readonly every: Microseconds;
  /** The begin of its coverage; null where it was not asked yet. */
  readonly askedFrom: Instant | null;
}

/** The time of a silence that was asked for once more. */
export interface Doubt extends Window {
  /** The platform answered for all of it. */
  readonly isAnswered: boolean;
}

/** A silence: since when, and how long it lasts before it is doubted and before it is believed. Undefined for a sensor that was never asked. */
function silenceOf(rhythm: SensorRhythm, { every, askedFrom }: Asked) {
  if (rhythm.newestAt === null && askedFrom === null) return undefined;
  // Time that was not asked for is no silence: a new selection of sensors begins to be asked anew.
  const since = Math.max(rhythm.newestAt ?? -Infinity, askedFrom ?? 0);
  const gap = longestGap(rhythm);
  const usual = rhythm.newestAt === null ? 0 : (gap ?? UNKNOWN / TIMES);
  return {
    since,
    doubted: Math.max(DOUBT_SHORTEST, DOUBT_TIMES * every, DOUBT_TIMES * usual),
    believed: Math.max(SHORTEST, TIMES * every, TIMES * usual),
  };
}

/**
 * THE rule of silence: a sensor is silent where its source is covered beyond the answer. It has been silent for three times its longest gap
 * then, and for 15 minutes and three intervals of its source at least; one that has never given a reading was asked for as long.
 * Null where it was not asked yet.
 */
export function silentFrom(rhythm: SensorRhythm, asked: Asked): Instant | null {
  const silence = silenceOf(rhythm, asked);
  return silence === undefined ? null : silence.since + silence.believed;
}

/** A silence, and what was asked once more of it so far. */
interface DoubtedSilence extends Asked {
  readonly doubt: Doubt | undefined;
}

/** A silence as a look sees it. */
interface SeenSilence extends DoubtedSilence {
  /** Up to where the source is covered. */
  readonly reached: Instant | null;
  /** The grid of the windows of the source, µs. */
  readonly align: Microseconds;
}

/**
 * The time to ask for once more because a reading should have come in it: once in a silence, after two of the longest gaps, two intervals
 * and five minutes. It is the last stretch of that length, so a platform that answered too early, or with nothing by mistake, gives a reading of it,
 * and looks for late data find the older ones (core/look-back.ts). The silence of a sensor that gives nothing therefore costs the windows
 * of one such stretch, and another one only after a reading has come.
 */
export function doubtedTime(rhythm: SensorRhythm, seen: SeenSilence): Window | undefined {
  const { reached, doubt, align } = seen;
  const silence = silenceOf(rhythm, seen);
  if (silence === undefined || reached === null || doubt !== undefined) return undefined;
  const { since, doubted } = silence;
  if (reached <= since + doubted) return undefined;
  return { from: Math.floor(Math.max(since, reached - doubted) / align) * align, to: reached };
}

/**
 * From where on a silence is believed (`silentFrom`); null while its time has to be asked for once more. A question that the pace does not let
 * through puts that off by as long as a silence lasts before it is believed, and no longer.
 */
export function believedFrom(rhythm: SensorRhythm, seen: DoubtedSilence): Instant | null {
  const { doubt } = seen;
  const silence = silenceOf(rhythm, seen);
  if (silence === undefined || doubt === undefined) return null;
  return doubt.isAnswered ? silentFrom(rhythm, seen) : doubt.to + silence.believed;
}

/** What a look at the stored readings of a sensor found. */
export interface SeenReadings {
  /** The first reading after the newest one of the look before, where all time between them is covered; null otherwise. */
  readonly nextAt: Instant | null;
  /** The newest reading; null where there is none after the look before. */
  readonly newestAt: Instant | null;
  /** The longest gap among its last readings, for a sensor that no look has seen; null where it has not two. */
  readonly gap: Microseconds | null;
}

/**
 * The rhythm after a look. `reachedBefore`: up to where the source was covered at the look before; null where time was missing after the
 * newest reading then, because its length says nothing of the sensor. A rhythm that is slower than a period is kept.
 */
export function stepRhythm(
  known: SensorRhythm | undefined,
  { nextAt, newestAt, gap }: SeenReadings,
  { reachedBefore, isNewPeriod }: { readonly reachedBefore: Instant | null; readonly isNewPeriod: boolean },
): SensorRhythm {
  if (known === undefined) return { newestAt, longest: gap, before: null };
  const aged = isNewPeriod ? { ...known, before: known.longest ?? known.before, longest: null } : known;
  if (newestAt === null) return aged;
  if (known.newestAt === null) return { ...aged, newestAt, longest: gap };
  if (nextAt === null) return { ...aged, newestAt };
  const waited = reachedBefore === null ? 0 : reachedBefore - known.newestAt;
  const learned = learnedOf(Math.max(nextAt - known.newestAt, waited), known);
  return { ...aged, newestAt, longest: Math.max(aged.longest ?? 0, learned) };
}

/**
 * A gap that broke the rhythm was a failure, or the first one of its kind, such as a weekend; nothing tells which. It teaches a third of
 * itself, so that a silence that is longer than it is told the next time; a second one like it is no break of the rhythm any more, or
 * nearly none, and teaches its whole length.
 */
function learnedOf(gap: Microseconds, known: SensorRhythm): Microseconds {
  const longest = longestGap(known);
  const allowed = longest === null ? gap : Math.max(SHORTEST, TIMES * longest);
  return gap <= allowed ? gap : Math.max(allowed, Math.ceil(gap / TIMES));
}
