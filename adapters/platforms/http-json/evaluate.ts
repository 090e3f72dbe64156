import jsonata from 'jsonata';
import { contractBroken } from '../../../src/core/errors.ts';
import type { Codes, ExpressionOption } from './evaluating.ts';
import { excerpt } from './expression.ts';

/** Deeper calls than these are an endless recursion. */
const MOST_CALLS = 1_000;

/** Compiled expressions have together at most this many characters; each takes about a kilobyte for ten of them. */
const MOST_CHARACTERS = 200_000;

/** The compiled expressions, those that were not used for longest first. Sources are written alike, so many share one. */
const compiled = new Map<string, jsonata.Expression>();
let characters = 0;

/** What finds the values of the expressions of a question in its answer. */
export type FindValue = (step: ExpressionOption) => Promise<unknown>;

/**
 * Finds the value of an expression in an answer: undefined where it finds nothing, or is not given. An expression that fails is
 * `contract-broken`, because it was written for another kind of answer. `begin` is told of each one before.
 */
export const findIn =
  (
    document: unknown,
    codes: Codes,
    bindings: Readonly<Record<string, unknown>>,
    begin: (step: ExpressionOption) => void,
  ): FindValue =>
  async (step) => {
    const code = codes[step];
    if (code === undefined) return undefined;
    begin(step);
    try {
      return (await expressionOf(code).evaluate(document, bindings)) as unknown;
    } catch (error) {
      throw contractBroken(`${step}: ${(error as { message?: string }).message ?? 'fails'}`, excerpt(document));
    }
  };

function expressionOf(code: string): jsonata.Expression {
  const known = compiled.get(code);
  if (known !== undefined) compiled.delete(code);
  else characters += code.length;
  const made = known ?? jsonata(code, { stack: MOST_CALLS });
  compiled.set(code, made);
  for (const oldest of compiled.keys()) {
    if (characters <= MOST_CHARACTERS || oldest === code) break;
    compiled.delete(oldest);
    characters -= oldest.length;
  }
  return made;
}

/** The value as a list. JSONata turns a list of one into its only item, and an empty one into nothing. */
export const listOf = (value: unknown): readonly unknown[] =>
  value === undefined ? [] : Array.isArray(value) ? value : [value];
