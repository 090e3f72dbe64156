import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Operator } from '../access/operators.ts';
import { parseDuration } from '../core/duration.ts';
import { BridgeError } from '../core/errors.ts';
import { parseInstant } from '../core/instant.ts';
import type { Instant } from '../core/instant.ts';
import type { Database } from '../database/database.ts';
import { sourceOf } from '../source/find-source.ts';
import type { FoundSource } from '../source/find-source.ts';
import type { WantedProject } from '../source/project-room.ts';
import { ChangedMeanwhile } from '../source/revision.ts';
import type { ExpectedRevision } from '../source/revision.ts';
import { operatorOf, seesOrganisation } from './authenticate.ts';
import { OperatorProblem, noSuch } from './problem.ts';
import { isStorable } from './storable.ts';

/** The parameters of a route on one source. */
export const sourceParams = z.object({
  organisation: z.string().max(128).describe('The organisation of the source, such as `default`.'),
  name: z.string().max(63).describe('Its name.'),
});

/** The parameters of a route on one project. */
export const projectParams = z.object({
  organisation: z.string().max(128).describe('The organisation that owns the project, such as `default`.'),
  code: z.string().max(128).describe('Its code.'),
});

/** The most items of one page. */
const MOST_ITEMS = 200;

/** The query of a route that answers with pages. */
export const pageQuery = z.object({
  limit: z.coerce.number().int().min(1).max(MOST_ITEMS).default(100).describe('At most this many items.'),
  cursor: z.string().max(500).optional().describe('`next` of the page before; without it the first page.'),
});

/** A page of items. */
export const pageSchemaOf = <T extends z.ZodType>(item: T) =>
  z.object({
    items: z.array(item),
    next: z.string().nullable().describe('The cursor of the next page; null on the last one.'),
  });

/** A flag in a query. */
export const flag = z.enum(['true', 'false']).default('false');

/** Bytes of the items of a page, as JSON. With the rest of an answer they stay below a megabyte. */
const MOST_BYTES = 900_000;

/** The first items that fit into an answer, at least one. */
export function fitting<T>(items: readonly T[]): readonly T[] {
  let bytes = 0;
  const end = items.findIndex((item, place) => {
    bytes += Buffer.byteLength(JSON.stringify(item) ?? '') + 1;
    return bytes > MOST_BYTES && place > 0;
  });
  return end === -1 ? items : items.slice(0, end);
}

/**
 * Cuts the page out of a whole list. The cursor names the last item of the page before and its place, so that a page goes on behind
 * that item wherever it stands now, and at its place where it is gone.
 */
export function pageIn<T>(
  all: readonly T[],
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
  keyOf: (item: T) => string,
): { readonly items: readonly T[]; readonly next: string | null } {
  const [place, key] = cursor === undefined ? [0, undefined] : placeIn(cursor);
  const found = key === undefined ? -1 : all.findIndex((item) => keyOf(item) === key);
  const begin = found === -1 ? place : found + 1;
  const items = fitting(all.slice(begin, begin + limit));
  const end = begin + items.length;
  const last = items.at(-1);
  return { items, next: last === undefined || end >= all.length ? null : cursorOf([end, keyOf(last)]) };
}

/** The `count` texts of the item behind which a page begins; undefined for the first page. Throws 400 for the cursor of another list. */
export function textsIn(cursor: string | undefined, count: number): readonly string[] | undefined {
  const texts =
    cursor === undefined
      ? undefined
      : z
          .array(z.string())
          .length(count)
          .safeParse(jsonOf(placeIn(cursor)[1]));
  if (texts?.success === false || texts?.data.some((text) => !isStorable(text))) throw noCursor();
  return texts?.data;
}

/**
 * The page of `limit` items that the database answered with, as documents, as far as they fit. The cursor is one of `textsIn`; null where
 * the page is not full, so that it is the last one.
 */
export function pageBehind<T, D>(
  found: readonly T[],
  limit: number,
  documentOf: (item: T) => D,
  textsOf: (item: T) => readonly string[],
): { readonly items: D[]; readonly next: string | null } {
  const items = [...fitting(found.map(documentOf))];
  const last = found[items.length - 1];
  const isLast = items.length === found.length && found.length < limit;
  return { items, next: isLast || last === undefined ? null : cursorOf([0, JSON.stringify(textsOf(last))]) };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const cursorShape = z.tuple([z.int().min(0), z.string()]);

/** A place in a list, with the name of the item there, as a cursor. */
export const cursorOf = (place: z.infer<typeof cursorShape>): string =>
  Buffer.from(JSON.stringify(place)).toString('base64url');

/** The place that a cursor names. Throws 400 for a text that is none. */
export function placeIn(cursor: string): z.infer<typeof cursorShape> {
  try {
    return cursorShape.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')));
  } catch {
    throw noCursor();
  }
}

export const noCursor = (): OperatorProblem =>
  new OperatorProblem('invalid', 'The cursor is not one of this API.', {
    remedy: 'Begin without a cursor.',
    errors: [{ pointer: '/cursor', detail: 'is no cursor' }],
  });

/** A number as a cursor: the last item of a page has this id, and the next page has smaller ones. */
export function idIn(cursor: string | undefined): number | undefined {
  return cursor === undefined ? undefined : placeIn(cursor)[0];
}

/** The page of `pageBehind` with a cursor of `idIn`. */
export function pageBelow<D extends { readonly id: number }>(
  found: readonly D[],
  limit: number,
): { readonly items: D[]; readonly next: string | null } {
  const items = [...fitting(found)];
  const last = items.at(-1);
  const isLast = items.length === found.length && found.length < limit;
  return { items, next: isLast || last === undefined ? null : cursorOf([last.id, '']) };
}

/** A point in time of a query: an ISO 8601 instant with its zone, or a length of time before now such as `7d`. */
export function instantOfField(text: string, now: Instant, field: string): Instant {
  const instant = parseInstant(text);
  if (instant !== undefined) return instant;
  const ago = parseDuration(text);
  if (ago !== undefined) return now - ago;
  throw new OperatorProblem('invalid', `${field} is not a time.`, {
    remedy: 'Write 2026-11-01T00:00:00Z, or 7d for seven days ago.',
    errors: [{ pointer: `/${field}`, detail: 'is not a time' }],
  });
}

/** The bounds that a query names. */
export const boundsIn = (
  { from, to }: { readonly from?: string | undefined; readonly to?: string | undefined },
  now: Instant,
): { readonly from: Instant | undefined; readonly to: Instant | undefined } => ({
  from: from === undefined ? undefined : instantOfField(from, now, 'from'),
  to: to === undefined ? undefined : instantOfField(to, now, 'to'),
});

/** The query or body field of a point in time. */
export const timeField = z.string().max(40).describe('`2026-11-01T00:00:00Z`, or `7d` for seven days ago.');

/** The organisations of a list: those of the query among those that the operator sees; undefined: all. */
export function organisationsOf(
  { organisations }: Operator,
  wanted: string | undefined,
): readonly string[] | undefined {
  if (wanted === undefined) return organisations ?? undefined;
  return organisations === null || organisations.includes(wanted) ? [wanted] : [];
}

/** The source of a path. Throws 404 where it does not exist, and where the operator does not see its organisation. */
export async function sourceIn(database: Database, request: FastifyRequest): Promise<FoundSource> {
  const { organisation, name } = request.params as z.infer<typeof sourceParams>;
  const row = seesOrganisation(operatorOf(request), organisation)
    ? await sourceOf(database, { name, organisation })
    : undefined;
  if (row === undefined) throw noSuch(`source ${name} in organisation ${organisation}`);
  return row;
}

/** The project of a path. Throws 404 where it does not exist, and where the operator does not see its organisation. */
export async function projectIn(
  database: Database,
  request: FastifyRequest,
): Promise<WantedProject & { readonly id: number }> {
  const { organisation, code } = request.params as z.infer<typeof projectParams>;
  const row = seesOrganisation(operatorOf(request), organisation)
    ? await database.row<{ id: number }>('select id from ml_project where organisation_id = $1 and code = $2', [
        organisation,
        code,
      ])
    : undefined;
  if (row === undefined) throw noSuch(`project ${code} in organisation ${organisation}`);
  return { id: row.id, organisation, code };
}

/** The revision that `If-Match` expects; null where `If-None-Match: *` expects none, undefined where the change holds for any. */
export function expectedIn({ headers }: FastifyRequest): ExpectedRevision | undefined {
  if (headers['if-none-match'] === '*') return null;
  const header = headers['if-match'];
  if (header === undefined || header === '*') return undefined;
  return /^"([^"]*)"$/.exec(header)?.[1] ?? header;
}

/** The header that says which revision an answer shows. */
export const revisionHeader = (tag: string): { etag: string } => ({ etag: `"${tag}"` });

/** Runs a change of an operator: a state that is not as expected is 412, one that does not allow it 409. */
export async function changing<T>(change: () => Promise<T>): Promise<T> {
  try {
    return await change();
  } catch (error) {
    if (error instanceof ChangedMeanwhile)
      throw new OperatorProblem('precondition-failed', error.message, { remedy: error.remedy });
    if (error instanceof BridgeError && error.fault.code === 'config-invalid' && error.fault.path === undefined)
      throw new OperatorProblem('conflict', error.message, { remedy: error.remedy });
    throw error;
  }
}
