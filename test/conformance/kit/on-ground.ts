import { expect } from 'vitest';
import type { BridgeError, FaultCode } from '../../../src/core/errors.ts';
import { openGround } from './ground.ts';
import type { Ground, GroundOptions } from './ground.ts';
import type { Outcome } from './reading.ts';
import type { Subject } from './subject.ts';

/** The rules of a platform, by a name that a waiver can use. A rule throws where the platform breaks it. */
export type SubjectRules = Readonly<Record<string, (subject: Subject) => Promise<void>>>;

/**
 * Opens a ground, lets `work` use it and closes it. Every rule that uses it also proves that each request had a slot, that all
 * slots came back, and that no address of a request holds a secret.
 */
export async function onGround(
  subject: Subject,
  options: GroundOptions,
  work: (ground: Ground) => Promise<void>,
): Promise<void> {
  const ground = await openGround(subject, options);
  try {
    await work(ground);
  } finally {
    await ground.close();
  }
  const all = [ground.simulator, ground.authorisation].flatMap((server) => server?.recorder.log() ?? []);
  // The platform, and not the bridge, asks for the keys of its authorisation server.
  const log = all.filter(({ path }) => path !== '/jwks');
  expect(log.length, 'requests without a slot').toBeLessThanOrEqual(ground.pacer.given);
  expect(ground.pacer.held, 'slots that were not given back').toBe(0);
  const addresses = log.map(({ path, query }) => `${path}?${query}`).join('\n');
  for (const secret of ground.secrets) expect(addresses).not.toContain(encodeURIComponent(secret));
}

/** A stream failed, with one of these codes (any of them where none is given), in words that hold no secret. */
export function expectFailure({ secrets }: Ground, { rows, failures }: Outcome, ...codes: FaultCode[]): void {
  expect(failures.length, `no failure, but ${rows.length} readings`).toBeGreaterThan(0);
  for (const failure of failures) expectProper(failure, secrets, codes.length === 0 ? ANY_FAILURE : codes);
}

/** The codes of the closed list without `bug` and `cancelled`. */
export const ANY_FAILURE: readonly FaultCode[] = [
  ...(['throttled', 'unavailable', 'too-much', 'credentials-rejected'] as const),
  ...(['contract-broken', 'unsupported', 'config-invalid'] as const),
];

export function expectProper(
  failure: BridgeError,
  secrets: readonly string[],
  codes: readonly FaultCode[] = ANY_FAILURE,
): void {
  const { message, remedy, fault } = failure;
  expect(codes, message).toContain(failure.code);
  expect(message).toMatch(/\S/);
  const shown = JSON.stringify([message, remedy, fault]);
  for (const secret of secrets) expect(shown).not.toContain(secret);
}
