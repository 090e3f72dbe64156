import type { SimulatedAnswer } from '../../../../src/simulator/contract.ts';

/** Thrown for a request that is answered with an error body. */
export class RefusedRequest extends Error {
  readonly status: number;
  readonly errorCode: number;

  constructor(status: number, errorCode: number, message: string) {
    super(message);
    this.status = status;
    this.errorCode = errorCode;
  }
}

// The pairs of status and errorCode that are known; 401 is 10 (authentication failed), 11 (token
// expired) or 15 (password expired).
export const badRequest = (message: string) => new RefusedRequest(400, 31, message);
export const authenticationFailed = (message = 'Authentication failed') => new RefusedRequest(401, 10, message);
export const tokenExpired = () => new RefusedRequest(401, 11, 'Token has expired');
export const passwordExpired = () => new RefusedRequest(401, 15, 'User password expired!');
export const forbidden = () => new RefusedRequest(403, 20, 'Not permitted for this authority');
export const notFound = (item: string) => new RefusedRequest(404, 32, `${item} not found`);
export const tooManyRequests = () => new RefusedRequest(429, 33, 'Too many requests for current tenant');

const known = [badRequest('Bad request'), authenticationFailed(), forbidden(), notFound('Item'), tooManyRequests()];

export function json(value: unknown): SimulatedAnswer {
  return { status: 200, body: JSON.stringify(value) };
}

/** The error body `{status, message, errorCode, timestamp}`. */
export function refusal(refused: RefusedRequest, nowMs: number, timestamp: 'number' | 'iso'): SimulatedAnswer {
  const { status, message, errorCode } = refused;
  const written = timestamp === 'iso' ? new Date(nowMs).toISOString() : nowMs;
  return { status, body: JSON.stringify({ status, message, errorCode, timestamp: written }) };
}

/** An error of that status: with the product's code where it is known, else the page of a proxy in front of the server. */
export function simulatedError(status: number, nowMs: number, timestamp: 'number' | 'iso'): SimulatedAnswer {
  const refused = known.find((candidate) => candidate.status === status);
  if (refused) return refusal(refused, nowMs, timestamp);
  return { status, body: `<h1>Error ${status}</h1>`, headers: { 'content-type': 'text/html' } };
}
