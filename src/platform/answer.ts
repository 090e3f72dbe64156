import type { z } from 'zod';
import { contractBroken } from '../core/errors.ts';
import { formatPath } from '../core/source/path.ts';

/** A page that is kept for the operator is at most this long. */
const EXCERPT_LENGTH = 2_000;

/** Pairs of limits: this many items of a list are shown, and this many characters of a text. Where an excerpt is too long, the next pair is tried. */
const DETAIL = [
  { items: 20, characters: 200 },
  { items: 5, characters: 100 },
  { items: 2, characters: 40 },
  { items: 0, characters: 0 },
] as const;

/**
 * The answer of a platform as its schema describes it, with the type of the schema. `what` names it in messages: "devices, page
 * 3". Otherwise throws `contract-broken` with the path of the first field that is wrong, and an excerpt of the answer.
 * A schema that is not strict lets the platform add fields. For long columns of points a loop is faster than a schema.
 */
export function answer<S extends z.ZodType>(schema: S, data: unknown, what: string): z.output<S> {
  const found = schema.safeParse(data);
  if (found.success) return found.data;
  const [issue] = found.error.issues;
  const path = formatPath(issue?.path ?? []);
  const words = (issue?.message ?? '').replace(/^Invalid input: /, '');
  throw contractBroken(`${what}: ${path === '' ? '' : `${path}: `}${words}`, excerptOf(data));
}

/**
 * An answer as JSON that is short. Long lists lose items, and long texts are left out as a whole, because the connection
 * takes secrets out of a page later and half a secret would stay.
 */
function excerptOf(data: unknown): string {
  for (const { items, characters } of DETAIL) {
    const text = JSON.stringify(pruned(data, items, characters)) ?? 'nothing';
    if (text.length <= EXCERPT_LENGTH) return text;
  }
  return '…';
}

function pruned(value: unknown, items: number, characters: number): unknown {
  if (typeof value === 'string') return value.length <= characters ? value : `… ${value.length} characters …`;
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const shown = value.slice(0, items).map((item) => pruned(item, items, characters));
    return value.length > items ? [...shown, `… ${value.length - items} more`] : shown;
  }
  const entries = Object.entries(value);
  const shown = entries.slice(0, items).map(([key, item]) => [key, pruned(item, items, characters)]);
  return Object.fromEntries(entries.length > items ? [...shown, ['…', `${entries.length - items} more`]] : shown);
}
