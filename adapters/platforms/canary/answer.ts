import { z } from 'zod';
import { BridgeError, contractBroken, credentialsRejected } from '../../../src/core/errors.ts';
import { answer } from '../../../src/platform/answer.ts';

/** Errors of the product have HTTP status 200, so every answer is judged by these two. */
const envelope = z.object({ statusCode: z.string(), errors: z.array(z.unknown()) });

/** The product refused the question, for a reason that may lie in one of its tags. */
export class RefusedQuestion extends Error {}

/** An answer that says `Good`, as its schema describes it. Throws `RefusedQuestion` where it says `Errors`. */
export function good<S extends z.ZodType>(schema: S, data: unknown, what: string): z.output<S> {
  const { statusCode, errors } = answer(envelope, data, what);
  if (statusCode === 'Good' && errors.length === 0) return answer(schema, data, what);
  const words = wordsOf(errors);
  if (statusCode === 'Errors' || statusCode === 'Good') throw new RefusedQuestion(words || 'no reason given');
  if (statusCode === 'BadLicense') throw licenceMissing(`${what}: ${words}`);
  if (statusCode === 'BadUserToken') {
    throw credentialsRejected(`${what}: ${words}`, 'check user and password, then resume the source');
  }
  throw contractBroken(`${what}: ${statusCode}: ${words}`);
}

/** As `good`, for a question that no single tag can spoil. */
export function goodForAll<S extends z.ZodType>(schema: S, data: unknown, what: string): z.output<S> {
  try {
    return good(schema, data, what);
  } catch (error) {
    throw error instanceof RefusedQuestion ? contractBroken(`${what}: ${error.message}`) : error;
  }
}

/** At most this much of the product's own reasons. */
const WORDS_LENGTH = 300;

export const wordsOf = (errors: readonly unknown[]): string => errors.map(String).join('; ').slice(0, WORDS_LENGTH);

/** The credentials are right, so the source may wait: a licence may become free. */
export const licenceMissing = (message: string): BridgeError =>
  new BridgeError({ code: 'unavailable', why: 'status' }, message, {
    remedy:
      'no licence of the Views service is free, or it has none for programs of third parties: ask the administrator of Canary',
  });
