import type { PointEffect } from './faults.ts';
import { hash } from './truth.ts';
import type { Order } from './truth.ts';

/** A point as a platform writes it; a `NaN` in it is written as the bare word, which is not JSON. */
export interface WrittenPoint {
  readonly ts: number;
  readonly value: unknown;
}

/** Whether a fault with this `every` (default 2) touches the point at `ts`. Its page and its value do not matter. */
export const isDistorted = (ts: number, every = 2): boolean => residue(ts, every) === 0;

const residue = (ts: number, every: number): number => hash(0, 'distorted', ts) % every;

/** The points of one key after the given faults, in the same order unless a fault changes it. Pure, so a test computes the same. */
export function distort<Point extends WrittenPoint>(
  points: readonly Point[],
  effects: readonly PointEffect[],
  nowMs: number,
  order: Order,
): (Omit<Point, 'value'> & WrittenPoint)[] {
  type Written = Omit<Point, 'value'> & WrittenPoint;
  return effects.reduce<Written[]>((current, effect) => distortOnce(current, effect, nowMs, order), [...points]);
}

function distortOnce<Point extends WrittenPoint>(
  points: Point[],
  effect: PointEffect,
  nowMs: number,
  order: Order,
): Point[] {
  switch (effect.kind) {
    case 'bad-value': {
      const value = { NaN, '"NaN"': 'NaN', null: null }[effect.value];
      return points.map((point) => (isDistorted(point.ts, effect.every) ? { ...point, value } : point));
    }
    case 'duplicate-timestamps': {
      const twin = (point: Point) => (effect.value === 'other' ? changed(point) : point);
      return points.flatMap((point) => (isDistorted(point.ts, effect.every) ? [point, twin(point)] : [point]));
    }
    case 'future-dates': {
      const last = order === 'ASC' ? points.at(-1) : points[0];
      if (!last) return points;
      const future = { ...last, ts: nowMs + (effect.aheadMs ?? 400 * 86_400_000) };
      return order === 'ASC' ? [...points, future] : [future, ...points];
    }
    case 'reorder':
      return effect.as === 'reversed' ? points.toReversed() : shuffled(points);
    case 'lie': {
      const { every = 2 } = effect;
      const told = points.filter((point) => !isDistorted(point.ts, every));
      return told.map((point) => (residue(point.ts, every) === 1 ? changed(point) : point));
    }
  }
}

const shuffled = <Point extends WrittenPoint>(points: readonly Point[]): Point[] =>
  points.toSorted((one, other) => hash(0, 'shuffled', one.ts) - hash(0, 'shuffled', other.ts));

function changed<Point extends WrittenPoint>(point: Point): Point {
  const { value } = point;
  if (typeof value === 'number') return { ...point, value: value + 1 };
  return { ...point, value: typeof value === 'boolean' ? !value : 'other' };
}

/** JSON, except that `NaN` is written as the bare word where a number would be. */
export function writeJson(value: unknown): string {
  const marker = '\u0001NaN\u0001';
  const json = JSON.stringify(value, (_, part: unknown) => (Number.isNaN(part) ? marker : part));
  return json.replaceAll(JSON.stringify(marker), 'NaN');
}

/** The same JSON with every type exchanged: arrays become objects, numbers and booleans words, words numbers. */
export function exchangeTypes(value: unknown): unknown {
  if (Array.isArray(value)) return Object.fromEntries(value.map((part, index) => [index, exchangeTypes(part)]));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, exchangeTypes(part)]));
  }
  return typeof value === 'string' ? value.length : `not a number: ${String(value)}`;
}

/** The same JSON with another name for every field. */
export function renameFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(renameFields);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [`new_${name}`, renameFields(part)]));
}
