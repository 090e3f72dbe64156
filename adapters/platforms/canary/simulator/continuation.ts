import { createHash } from 'node:crypto';
import { RequestRefusal } from '../../../../src/simulator/strict.ts';
import type { TruthPoint } from '../../../../src/simulator/truth.ts';

/** The point of a tag with which a page begins: the n-th, counted from 0, of those at an instant. */
export interface Position {
  readonly ts: number;
  readonly nth: number;
}

/** Which of the points at its instant `points[index]` is, if the first one of them stands at `position`. */
export function nthOf(points: readonly TruthPoint[], index: number, position: Position | undefined): number {
  const ts = points[index]?.ts;
  const before = points.slice(0, index).filter((point) => point.ts === ts).length;
  return before + (position?.ts === ts ? (position?.nth ?? 0) : 0);
}

/** Where each tag, by its place among the tags, goes on; undefined on the first page. */
export function positionsOf(
  asked: { readonly continuation: readonly string[] | null },
  form: string,
): Map<number, Position> | undefined {
  const parts = asked.continuation?.map((part) => part.split('-'));
  const isStrange = parts?.some(([stamp]) => stamp !== stampOf(asked, form));
  if (isStrange) throw new RequestRefusal(400, 'continuation is of another request');
  return parts && new Map(parts.map(([, index, ts, nth]) => [Number(index), { ts: Number(ts), nth: Number(nth) }]));
}

/** A word that stands for a question, whatever its continuation is. */
export const stampOf = (...question: unknown[]): string =>
  createHash('sha256')
    .update(JSON.stringify(question, (name, part: unknown) => (name === 'continuation' ? undefined : part)))
    .digest('hex')
    .slice(0, 12);
