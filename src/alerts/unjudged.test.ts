import { describe, expect, test } from 'vitest';
import type { AlertKind } from '../core/alert.ts';
import type { Condition } from '../core/condition.ts';
import { unjudgedOf } from './unjudged.ts';

const organisation = 'default';

describe('an alert whose trouble is not found goes on', () => {
  const isUnjudged = (kind: AlertKind, condition: Condition, fault?: AlertKind, subject = 'hall'): boolean =>
    unjudgedOf({
      lines: condition === 'well' ? [] : [{ name: 'hall', organisation, condition }],
      findings: fault === undefined ? [] : [{ kind: fault, organisation, subject: 'hall' }],
      unheard: new Set(['deaf']),
    })({ kind, organisation, subject });

  test.each<[AlertKind, Condition, AlertKind | undefined, boolean]>([
    ['silent', 'well', undefined, false],
    ['silent', 'silent', undefined, false],
    ['silent', 'failing', 'failing', true],
    ['silent', 'stopped', 'stopped', true],
    ['silent', 'behind', undefined, true],
    // An operator wanted nothing more of it.
    ['silent', 'paused', undefined, false],
    ['refusals', 'behind', undefined, true],
    ['refusals', 'silent', undefined, false],
    ['behind', 'failing', 'failing', true],
    ['behind', 'silent', undefined, false],
    ['contract', 'failing', 'failing', true],
    ['contract', 'stopped', 'stopped', true],
    ['contract', 'behind', undefined, false],
    ['failing', 'failing', 'contract', true],
    ['failing', 'well', undefined, false],
    ['stopped', 'failing', 'failing', false],
    ['outbox', 'failing', 'failing', false],
  ])('%s of a source that is %s, with the fault %s: %s', (kind, condition, fault, expected) => {
    expect(isUnjudged(kind, condition, fault)).toBe(expected);
  });

  test('of a stream, too, where its source fails; and of silence while time after the newest reading is still to be asked', () => {
    expect(isUnjudged('contract', 'failing', 'stopped', 'hall pumps')).toBe(true);
    expect(isUnjudged('contract', 'failing', undefined, 'hall pumps')).toBe(false);
    expect(isUnjudged('silent', 'well', undefined, 'deaf')).toBe(true);
    expect(isUnjudged('silent', 'well', undefined, 'other')).toBe(false);
  });
});
