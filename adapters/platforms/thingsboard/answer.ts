import { z } from 'zod';
import { contractBroken } from '../../../src/core/errors.ts';
import type { BridgeError } from '../../../src/core/errors.ts';

/** A parsed JSON object. */
export type Json = Readonly<Record<string, unknown>>;

const PAGE_LENGTH = 4_000;

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** `contract-broken` with the beginning of the answer. */
export function broken(message: string, answer: unknown): BridgeError {
  const text = typeof answer === 'string' ? answer : (JSON.stringify(answer) ?? 'nothing');
  return contractBroken(message, text.slice(0, PAGE_LENGTH));
}

/** The answer as a JSON object; `contract-broken` for anything else: HTML of a portal, an array, an empty answer. */
export function jsonObject(answer: unknown, what: string): Json {
  if (isObject(answer)) return answer;
  throw broken(`${what}: expected a JSON object`, answer);
}

/** ThingsBoard's `{"entityType": …, "id": "<uuid>"}`. */
export const entityId = z.object({ id: z.string() });

/**
 * The words of ThingsBoard's error body: `Device not found (404/32)`. Its `timestamp` differs by version and is not
 * read.
 */
export function saidIn(status: number, body: unknown): string {
  if (!isObject(body)) return `HTTP ${status}`;
  const code = typeof body['errorCode'] === 'number' ? `/${body['errorCode']}` : '';
  return typeof body['message'] === 'string' ? `${body['message']} (${status}${code})` : `HTTP ${status}${code}`;
}
