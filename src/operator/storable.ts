import type { FastifyRequest } from 'fastify';
import { OperatorProblem, pointerOf } from './problem.ts';

/**
 * Throws 400 where a text of the path, the query or the body is one that PostgreSQL cannot store, and so cannot look for either: it
 * refuses NUL with an error of the statement, and half of a surrogate pair would be stored as another character.
 */
export function assertStorable({ params, query, body, routeOptions }: FastifyRequest): void {
  // A body that no schema describes is not used, and has as many levels as a client likes.
  const place = oddPlaceIn(params) ?? oddPlaceIn(query) ?? (routeOptions.schema?.body ? oddPlaceIn(body) : undefined);
  if (place === undefined) return;
  throw new OperatorProblem('invalid', 'The request holds a text with NUL or half a surrogate pair.', {
    remedy: 'Leave the character out.',
    errors: [{ pointer: pointerOf(place), detail: 'holds a character that cannot be stored' }],
  });
}

/** The place of the first such text, or of such a name of a field; undefined where there is none. */
function oddPlaceIn(value: unknown): readonly string[] | undefined {
  if (typeof value === 'string') return isStorable(value) ? undefined : [];
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, inner] of Object.entries(value)) {
    const place = isStorable(name) ? oddPlaceIn(inner) : [];
    if (place !== undefined) return [name.toWellFormed(), ...place];
  }
  return undefined;
}

/** Whether PostgreSQL can store a text. */
export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();
