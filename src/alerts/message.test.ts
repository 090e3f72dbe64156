import { describe, expect, it } from 'vitest';
import { MINUTE } from '../core/instant.ts';
import { alertMessageOf } from './message.ts';
import type { ToldAlert } from './message.ts';

const told = (id: number, more: Partial<ToldAlert> = {}): ToldAlert => ({
  id,
  change: 'opened',
  kind: 'behind',
  organisation: 'default',
  subject: `hall-${id}`,
  severity: 'warning',
  what: 'late by more than 10m, without a fault',
  remedy: `databridge source why hall-${id}`,
  since: 0,
  openedAt: 0,
  endedAt: null,
  returns: 0,
  earlier: 0,
  owner: null,
  ...more,
});

describe('a message', () => {
  it('has the critical first, and the ended last', () => {
    const { title, text, opened, ended } = alertMessageOf('id', [
      told(1, { change: 'ended', endedAt: 20 * MINUTE, returns: 2 }),
      told(2),
      told(3, { kind: 'stopped', severity: 'critical', what: '401 refused', organisation: 'north' }),
    ]);
    expect(title).toBe('databridge: north/hall-3 stopped, hall-2 behind; ended: hall-1 behind');
    expect(text.split('\n')).toEqual([
      'CRITICAL stopped: north/hall-3: 401 refused (since 1970-01-01T00:00:00Z)',
      '  try: databridge source why hall-3',
      'WARNING behind: hall-2: late by more than 10m, without a fault (since 1970-01-01T00:00:00Z)',
      '  try: databridge source why hall-2',
      'ENDED behind: hall-1 after 20m; it came back 2 times meanwhile',
    ]);
    expect([opened, ended]).toEqual([2, 1]);
  });

  it('has one line for many alerts of one kind, and a bounded list', () => {
    const many = Array.from({ length: 10_000 }, (_, id) => told(id));
    const { title, text, alerts, more } = alertMessageOf('id', many);
    expect(title).toBe('databridge: 10000 behind');
    expect(text.split('\n').length).toBe(2);
    expect(text.length).toBeLessThan(400);
    expect([alerts.length, more]).toEqual([100, 9_900]);
  });
});
