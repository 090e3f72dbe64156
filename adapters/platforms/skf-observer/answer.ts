import type { z } from 'zod';
import { answer } from '../../../src/platform/answer.ts';

/**
 * An answer as its schema, whose names are in lower case, describes it. Names come in PascalCase and in camelCase, which differs
 * by call and by version.
 */
export const anyCase = <S extends z.ZodType>(schema: S, data: unknown, what: string): z.output<S> =>
  answer(schema, inLowerCase(data), what);

function inLowerCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inLowerCase);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name.toLowerCase(), inLowerCase(part)]));
}
