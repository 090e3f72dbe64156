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

/** The points of one key after the given faults, in the same order. Pure, so a test computes the same. */
export function distort(
  points: readonly WrittenPoint[],
  effects: readonly PointEffect[],
  nowMs: number,
  order: Order,
): WrittenPoint[] {
  return effects.reduce((current, effect) => distortOnce(current, effect, nowMs, order), [...points]);
}

function distortOnce(points: WrittenPoint[], effect: PointEffect, nowMs: number, order: Order): WrittenPoint[] {
  switch (effect.kind) {
    case 'bad-value': {
      const value = { NaN, '"NaN"': 'NaN', null: null }[effect.value];
      return points.map((point) => (isDistorted(point.ts, effect.every) ? { ts: point.ts, value } : point));
    }
    case 'duplicate-timestamps': {
      const twin = (point: WrittenPoint) => (effect.value === 'other' ? changed(point) : point);
      return points.flatMap((point) => (isDistorted(point.ts, effect.every) ? [point, twin(point)] : [point]));
    }
    case 'future-dates': {
      const last = order === 'ASC' ? points.at(-1) : points[0];
      if (!last) return points;
      const future = { ts: nowMs + (effect.aheadMs ?? 400 * 86_400_000), value: last.value };
      return order === 'ASC' ? [...points, future] : [future, ...points];
    }
    case 'lie': {
      const { every = 2 } = effect;
      const told = points.filter((point) => !isDistorted(point.ts, every));
      return told.map((point) => (residue(point.ts, every) === 1 ? changed(point) : point));
    }
  }
}

function changed({ ts, value }: WrittenPoint): WrittenPoint {
  if (typeof value === 'number') return { ts, value: value + 1 };
  return { ts, value: typeof value === 'boolean' ? !value : 'other' };
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
