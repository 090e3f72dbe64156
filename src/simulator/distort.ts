import type { PointEffect } from './faults.ts';
import { hash } from './truth.ts';

/** A point as a platform writes it; a `NaN` in it is written as the bare word, which is not JSON. */
export interface WrittenPoint {
  readonly ts: number;
  readonly value: unknown;
}

/** Whether a fault with this `every` (default 2) touches the point at `ts`: by its instant alone, whatever the page. */
export function isDistorted(ts: number, every = 2): boolean {
  return hash(0, 'distorted', ts) % every === 0;
}

/** The points of one key after the given faults. Pure, so a test computes the same. Keeps the order of the points. */
export function distort(
  points: readonly WrittenPoint[],
  effects: readonly PointEffect[],
  nowMs: number,
  order: 'ASC' | 'DESC',
): WrittenPoint[] {
  return effects.reduce((current, effect) => distortOnce(current, effect, nowMs, order), [...points]);
}

function distortOnce(points: WrittenPoint[], effect: PointEffect, nowMs: number, order: string): WrittenPoint[] {
  switch (effect.kind) {
    case 'bad-value': {
      const value = { NaN, '"NaN"': 'NaN', null: null }[effect.value];
      return points.map((point) => (isDistorted(point.ts, effect.every) ? { ts: point.ts, value } : point));
    }
    case 'duplicate-timestamps': {
      const twin = (point: WrittenPoint) => (effect.value === 'other' ? { ts: point.ts, value: other(point) } : point);
      return points.flatMap((point) => (isDistorted(point.ts, effect.every) ? [point, twin(point)] : [point]));
    }
    case 'future-dates': {
      const last = order === 'ASC' ? points.at(-1) : points[0];
      if (!last) return points;
      const future = { ts: nowMs + (effect.aheadMs ?? 400 * 86_400_000), value: last.value };
      return order === 'ASC' ? [...points, future] : [future, ...points];
    }
  }
}

function other({ value }: WrittenPoint): unknown {
  if (typeof value === 'number') return value + 1;
  return typeof value === 'boolean' ? !value : 'other';
}

/** JSON, except that `NaN` stands as the bare word where a number would. */
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
