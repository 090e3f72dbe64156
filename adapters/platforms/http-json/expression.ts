import jsonata from 'jsonata';
import { z } from 'zod';
import { contractBroken } from '../../../src/core/errors.ts';

/** The end of an expression that never ends by itself. */
const LONGEST_MS = 30_000;

/** Deeper calls than these are an endless recursion. */
const MOST_CALLS = 1_000;

/** Equal expressions are compiled once, because sources are written alike; all are compiled anew above so many different ones. */
const MOST_COMPILED = 5_000;
const compiled = new Map<string, jsonata.Expression>();

/** A JSONata expression as an option. Every option of this kind is compiled when the source is checked. */
export const expression = (description: string): z.ZodString =>
  z
    .string()
    .min(1)
    .max(4000)
    .superRefine((code, context) => {
      try {
        jsonata(code);
      } catch (error) {
        const { message, position } = error as { message?: string; position?: number };
        context.addIssue({
          code: 'custom',
          message: `is not JSONata: ${message} (at character ${position})`,
          params: { remedy: 'try it on an answer of the platform at https://try.jsonata.org' },
        });
      }
    })
    .describe(`${description} JSONata.`);

/**
 * The value of an expression on an answer: undefined where it finds nothing. `what` names the option in messages. An expression
 * that fails is `contract-broken`, because the expression was written for another kind of answer.
 */
export async function evaluate(
  code: string,
  document: unknown,
  what: string,
  bindings: Readonly<Record<string, unknown>> = {},
): Promise<unknown> {
  try {
    return await expressionOf(code).evaluate(document, bindings);
  } catch (error) {
    throw contractBroken(`${what}: ${(error as { message?: string }).message ?? 'fails'}`, excerpt(document));
  }
}

function expressionOf(code: string): jsonata.Expression {
  const known = compiled.get(code);
  if (known !== undefined) return known;
  if (compiled.size >= MOST_COMPILED) compiled.clear();
  const made = jsonata(code, { timeout: LONGEST_MS, stack: MOST_CALLS });
  compiled.set(code, made);
  return made;
}

/** The value as a list. JSONata turns a list of one into its only item, and an empty one into nothing. */
export const listOf = (value: unknown): readonly unknown[] =>
  value === undefined ? [] : Array.isArray(value) ? value : [value];

/** The beginning of an answer, for the operator. */
export const excerpt = (document: unknown): string =>
  (typeof document === 'string' ? document : (JSON.stringify(document) ?? 'nothing')).slice(0, 2_000);
