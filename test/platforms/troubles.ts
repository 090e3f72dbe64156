import type { SimulatedFault } from '../../src/simulator/faults.ts';

/** A trouble of a platform, which begins at an hour of the scripted day. */
export interface Trouble {
  readonly what: string;
  readonly fault: SimulatedFault;
  /** The place of the fault: the platform unless told; its logins, where they are, too. */
  readonly where?: 'logins';
  /** Only where requests are signed by tokens: every token ends as it begins. */
  readonly endsTokens?: true;
  /** The short form of the table has it, too. */
  readonly brief?: true;
}

/** The paths at which the platforms give tokens. A login that is refused stops a source, as it has to. */
export const LOGIN_PATH = String.raw`[Tt]oken|/login$`;
const NO_LOGIN = String.raw`^(?!.*(?:[Tt]oken|/login$))`;

const BRIEF = { brief: true } as const;

const trouble = (what: string, fault: SimulatedFault, more: Partial<Trouble> = {}): Trouble => ({
  what,
  fault,
  ...more,
});

/** Each lasts for the first half of its hour, or until it hit `next` requests. */
export const TROUBLES: readonly Trouble[] = [
  trouble('429 with Retry-After in seconds', { kind: 'status', status: 429, retryAfterSeconds: 90, next: 1 }, BRIEF),
  trouble('429 with Retry-After as a date', {
    kind: 'status',
    status: 429,
    retryAfterSeconds: 40,
    retryAfterAs: 'date',
    next: 1,
  }),
  trouble('503', { kind: 'status', status: 503, next: 2 }, BRIEF),
  trouble('500 for half an hour', { kind: 'status', status: 500 }),
  trouble('half of a body', { kind: 'truncate', lost: 'body', next: 1 }, BRIEF),
  trouble('a connection that ends half-way', { kind: 'truncate', lost: 'connection', next: 1 }),
  trouble('a slow body', { kind: 'slow-body', pauseMs: 500, pieces: 8, next: 3 }),
  trouble('a slow answer', { kind: 'slow', delayMs: 20_000, next: 1 }),
  trouble('401 once', { kind: 'status', status: 401, match: NO_LOGIN, next: 1 }, BRIEF),
  trouble(
    'a token that ended',
    { kind: 'invalidate-tokens', match: NO_LOGIN, next: 1 },
    { endsTokens: true, ...BRIEF },
  ),
  trouble('no logins', { kind: 'status', status: 503 }, { where: 'logins', endsTokens: true }),
  trouble('a reset', { kind: 'reset', next: 2 }, BRIEF),
  trouble('no answer', { kind: 'hang', next: 1 }),
  trouble('a login page', { kind: 'wrong-shape', shape: 'html', next: 2 }, BRIEF),
  trouble('a redirect to a login page', { kind: 'redirect', to: 'login', next: 1 }),
  trouble('other types for half an hour', { kind: 'wrong-shape', shape: 'types' }),
  trouble('an error inside a 200', { kind: 'error-in-200', status: 500, next: 2 }),
  trouble('a restart', { kind: 'restart', next: 1 }),
];
