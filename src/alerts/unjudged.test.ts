import { describe, expect, test } from 'vitest';
import type { AlertKind } from '../core/alert.ts';
import type { Condition } from '../core/condition.ts';
import { DAY } from '../core/instant.ts';
import { unjudgedOf } from './unjudged.ts';

const organisation = 'default';

describe('an alert whose trouble is not found goes on', () => {
  /** Without more, the fault is one of the source `hall`. */
  const unjudgedFor = (
    kind: AlertKind,
    condition: Condition,
    { fault, of = 'hall', subject = 'hall' }: { fault?: AlertKind | undefined; of?: string; subject?: string } = {},
  ): number =>
    unjudgedOf({
      lines: condition === 'well' ? [] : [{ name: 'hall', organisation, condition }],
      findings: fault === undefined ? [] : [{ kind: fault, organisation, subject: of, source: 'hall' }],
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
    expect(unjudgedFor(kind, condition, { fault })).toBe(expected ? Infinity : 0);
  });

  test('of a stream while its source fails, and of a source while a stream of it fails', () => {
    const failing = (fault: AlertKind | undefined, of: string, subject: string) =>
      unjudgedFor('contract', 'failing', { fault, of, subject });
    expect(failing('stopped', 'hall', 'hall pumps')).toBe(Infinity);
    expect(failing(undefined, 'hall', 'hall pumps')).toBe(0);
    expect(failing('failing', 'hall pumps', 'hall')).toBe(Infinity);
    expect(failing('failing', 'hall pumps', 'hall pumps')).toBe(Infinity);
    expect(failing('failing', 'hall mixers', 'hall pumps')).toBe(0);
    expect(failing('behind', 'hall pumps', 'hall')).toBe(0);
    expect(failing('failing', 'hall pumps', 'halle')).toBe(0);
  });

  test('of silence for a day while time after the newest reading is still to be asked, which it may be for ever', () => {
    expect(unjudgedFor('silent', 'well', { subject: 'deaf' })).toBe(DAY);
    expect(unjudgedFor('silent', 'well', { subject: 'other' })).toBe(0);
  });
});
