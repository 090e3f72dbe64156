import { RAW_LENGTH, inOrder, rawText } from './batch.ts';
import type { Batch, Column, Segment } from './batch.ts';
import { tooMuch } from './errors.ts';
import { inInstants } from './local-time.ts';
import type { LocalTimes } from './local-time.ts';
import type { Instant } from './instant.ts';
import type { Quality, QualityTable } from './quality.ts';
import { judgeLabels, judgeQuality, judgeValue } from './reading.ts';
import type { RefusalReason } from './reading.ts';
import { refusalNotes } from './refusal-notes.ts';
import type { Samples } from './samples.ts';
import { formatWindow } from './window.ts';
import type { Window } from './window.ts';

/** The series of one variable of one sensor, and its arithmetic: `value × scale + offset`. */
export interface SeriesRule {
  readonly sensorId: string;
  readonly valueName: string;
  readonly scale: number;
  readonly offset: number;
  /** Numbers of states by their names, before scale and offset. */
  readonly states?: Readonly<Record<string, number>> | undefined;
  readonly labels: readonly string[];
}

/** A source's mapping in the form the normaliser asks for. */
export interface Rules {
  readonly booleans: 'refuse' | 'number';
  readonly bad: 'refuse' | 'keep';
  /** Set where the platform gives qualities. */
  readonly qualities?: QualityTable | undefined;
  /** Set where the platform gives local times. */
  readonly localTimes?: LocalTimes | undefined;
  /** The rule of a variable. A reason where none of its points may become a reading; undefined where the source does not want it. */
  readonly series: (sensor: string, variable: string) => SeriesRule | RefusalReason | undefined;
}

export interface Normaliser {
  /** Takes one page. Throws `too-much` when the window outgrows `maxReadings`. */
  take(samples: Samples): void;
  seal(): Batch;
}

/** Readings of one page in the order of the platform, with the names and values that the platform gave them. */
interface Piece extends Segment {
  readonly sensor: string;
  readonly variable: string;
  readonly raw: readonly unknown[];
}

/**
 * Turns the pages of one window into a batch of readings and refusals. Nothing is coerced (law 6). Points outside
 * `window` and of sensors that are not chosen are dropped, and counted unless they are of the time `asked`. Of several points of a series at one instant the
 * last becomes a reading.
 */
export function normaliser(given: {
  readonly rules: Rules;
  readonly window: Window;
  /** The time of which the answer may hold points (question.ts); the window unless told. */
  readonly asked?: Window;
  readonly maxReadings: number;
}): Normaliser {
  const { rules, window, asked = window, maxReadings } = given;
  const columns = new Map<string, { rule: SeriesRule; pieces: Piece[] }>();
  const refused = new Map<RefusalReason, number>();
  const notScalar = new Set<string>();
  const notes = refusalNotes();
  let samplesTaken = 0;
  let outside = 0;
  let unchosen = 0;

  /** `raw` is asked for only where the refusal is shown. `place`: where a point without an instant stands. */
  function note(
    { sensor, variable }: Pick<Samples, 'sensor' | 'variable'>,
    at: number,
    reason: RefusalReason,
    { raw, place = window.from }: { readonly raw: () => string; readonly place?: Instant | undefined },
  ): void {
    const known = isInstant(at);
    notes.note(sensor, variable, reason, { place: known ? at : place, at: known ? at : undefined, raw });
    // A series of spectra or arrays is counted once, because each of its points has the same reason.
    if (reason === 'not-a-scalar' && !isNew(notScalar, JSON.stringify([sensor, variable]))) return;
    count(refused, reason);
  }

  function refuse(samples: Samples, index: number, reason: RefusalReason, place?: Instant): void {
    const at = samples.at[index] as number;
    const raw = (): string => {
      if (!isInstant(at)) return (samples.rawInstants?.[index] ?? `${at}`).slice(0, RAW_LENGTH);
      const value = rawText(samples.values[index]);
      return reason === 'unknown-quality'
        ? `quality ${rawText(qualityAt(samples, index))} of ${value}`.slice(0, RAW_LENGTH)
        : value;
    };
    note(samples, at, reason, { raw, place });
  }

  function refuseAll(samples: Samples, reason: RefusalReason, places: readonly Instant[] = []): void {
    for (let index = 0; index < samples.at.length; index += 1) {
      const at = samples.at[index] as number;
      if (!isOutside(at, window)) refuse(samples, index, reason, places[index]);
      else if (isOutside(at, asked)) outside += 1;
    }
  }

  function columnOf(rule: SeriesRule): { rule: SeriesRule; pieces: Piece[] } {
    const key = `${rule.sensorId}\n${rule.valueName}`;
    let column = columns.get(key);
    if (!column) {
      column = { rule, pieces: [] };
      columns.set(key, column);
    }
    return column;
  }

  function labelsOf(
    samples: Samples,
    rule: SeriesRule,
    column: { pieces: Piece[] },
  ): readonly string[] | RefusalReason {
    if (!samples.labels?.length) return rule.labels;
    const labels = judgeLabels([...samples.labels, ...rule.labels]);
    if (typeof labels === 'string') return labels;
    const before = column.pieces.at(-1)?.labels;
    // The same array stands for the same labels, so that neighbouring pages share one segment and one row of label_set.
    return before?.length === labels.length && labels.every((label, index) => label === before[index])
      ? before
      : labels;
  }

  /** Takes samples by instants. */
  function takeTimed(samples: Samples, rule: SeriesRule | RefusalReason, places?: readonly Instant[]): void {
    if (typeof rule === 'string') {
      refuseAll(samples, rule, places);
      return;
    }
    const column = columnOf(rule);
    const labels = labelsOf(samples, rule, column);
    if (typeof labels === 'string') {
      refuseAll(samples, labels);
      return;
    }
    const { sensor, variable, at, values } = samples;
    const precision = precisionOfAll(samples, rules);
    if (precision !== 'varies' && isClean(samples, window) && rule.scale === 1 && rule.offset === 0) {
      column.pieces.push({
        at,
        value: values as number[],
        precision: precision === undefined ? undefined : at.map(() => precision),
        labels,
        sensor,
        variable,
        raw: values,
      });
      return;
    }
    const kept = sift(samples, rule, { rules, window, asked }, (index, reason) => {
      refuse(samples, index, reason);
    });
    outside += kept.outside;
    column.pieces.push({ ...kept, labels, sensor, variable });
  }

  return {
    take(samples) {
      samplesTaken += samples.at.length;
      if (samplesTaken > maxReadings) {
        throw tooMuch(`window ${formatWindow(window)} holds more than ${maxReadings} readings`);
      }
      const rule = rules.series(samples.sensor, samples.variable);
      if (rule === undefined) {
        unchosen += samples.at.length;
        return;
      }
      if (rules.localTimes === undefined) {
        takeTimed(samples, rule);
        return;
      }
      for (const part of inInstants(samples, rules.localTimes, window)) {
        takeTimed(part.samples, part.reason ?? rule, part.places);
      }
    },
    seal() {
      const sealed: Column[] = [];
      let readings = 0;
      let repeats = 0;
      for (const { rule, pieces } of columns.values()) {
        const ordered = inOrder(pieces);
        repeats += ordered.repeats;
        for (const { segment, index } of ordered.displaced) {
          const raw = (): string => rawText(segment.raw[index]);
          note(segment, segment.at[index] as number, 'same-instant', { raw });
        }
        for (const segment of ordered.segments) readings += segment.at.length;
        if (ordered.segments.length > 0) {
          sealed.push({ sensorId: rule.sensorId, valueName: rule.valueName, segments: ordered.segments });
        }
      }
      return { columns: sealed, readings, repeats, outside, unchosen, refused, refusals: notes.sealed() };
    },
  };
}

/** A fraction of a µs is no instant, because two of them could become one instant in the database. */
const isInstant = (at: number): boolean => Number.isInteger(at);

const isOutside = (at: number, window: Window): boolean => isInstant(at) && (at < window.from || at >= window.to);

const isNew = (seen: Set<string>, key: string): boolean => seen.size < seen.add(key).size;

/** Adds one. @returns the new count */
function count<K>(counts: Map<K, number>, key: K): number {
  const number = (counts.get(key) ?? 0) + 1;
  counts.set(key, number);
  return number;
}

const qualityAt = ({ quality }: Samples, index: number): Quality | undefined =>
  Array.isArray(quality) ? (quality as readonly Quality[])[index] : (quality as Quality | undefined);

/** The precision that all readings of a page have; `varies` where its points have to be judged one by one. */
function precisionOfAll({ quality }: Samples, rules: Rules): number | undefined | 'varies' {
  if (quality === undefined) return undefined;
  const precision = typeof quality === 'object' ? 'varies' : judgeQuality(quality, rules);
  return typeof precision === 'number' ? precision : 'varies';
}

/** Whether all values are finite numbers inside the window. Most pages are; they are taken without a copy. */
function isClean({ at, values }: Samples, window: Window): boolean {
  for (let index = 0; index < at.length; index += 1) {
    const instant = at[index] as number;
    if (!isInstant(instant) || instant < window.from || instant >= window.to) return false;
    const value = values[index];
    if (typeof value !== 'number' || value - value !== 0 || Object.is(value, -0)) return false;
  }
  return true;
}

function sift(
  samples: Samples,
  rule: SeriesRule,
  { rules, window, asked }: { readonly rules: Rules; readonly window: Window; readonly asked: Window },
  refuse: (index: number, reason: RefusalReason) => void,
): Pick<Piece, 'at' | 'value' | 'precision' | 'raw'> & { outside: number } {
  const at: Instant[] = [];
  const value: number[] = [];
  const raw: unknown[] = [];
  const precision: number[] | undefined = samples.quality === undefined ? undefined : [];
  let outside = 0;
  for (let index = 0; index < samples.at.length; index += 1) {
    const instant = samples.at[index] as number;
    if (!isInstant(instant)) {
      refuse(index, 'bad-instant');
      continue;
    }
    if (isOutside(instant, window)) {
      if (isOutside(instant, asked)) outside += 1;
      continue;
    }
    const grade = precision && judgeQuality(qualityAt(samples, index) as Quality, rules);
    const judged = judgeValue(samples.values[index], { booleans: rules.booleans, states: rule.states });
    // Platforms call a state bad as well; its name tells an operator more.
    if (typeof grade === 'string' && judged !== 'system-state') {
      refuse(index, grade);
      continue;
    }
    const scaled = typeof judged === 'number' ? judged * rule.scale + rule.offset : judged;
    if (typeof scaled === 'string' || !Number.isFinite(scaled)) {
      refuse(index, typeof scaled === 'string' ? scaled : 'not-finite');
      continue;
    }
    at.push(instant);
    value.push(scaled === 0 ? 0 : scaled);
    raw.push(samples.values[index]);
    precision?.push(grade as number);
  }
  return { at, value, precision, raw, outside };
}
