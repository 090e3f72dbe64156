import { describe, expect, it } from 'vitest';
import { HOUR, MINUTE, SECOND } from '../core/instant.ts';
import type { SourceReport, StreamReport } from './report.ts';
import { causesOf } from './why.ts';
import type { Circumstance } from './why.ts';

const NOW = 20_774 * 24 * HOUR;
const fault = { code: 'unavailable', message: 'no answer', remedy: 'look at the cable', at: '2026-11-17T00:00:00Z' };

const stream = (more: Partial<StreamReport> = {}): Partial<StreamReport> => ({
  key: 'hall',
  covered: [[0, NOW - 3 * HOUR]],
  unreadable: [],
  failures: 0,
  retryAt: null,
  fault: null,
  ...more,
});

/** A source that is three hours behind, where its schedule allows a minute. */
function report(more: Partial<SourceReport> = {}, streams = [stream()]): SourceReport {
  const demand = { platform: 'none', every: 50 * SECOND, requestsPerSecond: 1, concurrency: 2 };
  return {
    state: 'active',
    project: 'pumps',
    platform: 'none',
    every: 50 * SECOND,
    settle: 10 * SECOND,
    lag: 3 * HOUR,
    overdue: 3 * HOUR - MINUTE,
    streams: 1,
    failures: 0,
    fault: null,
    lookFault: null,
    allRefused: null,
    heldUntil: null,
    outboxFullSince: null,
    clocksDisagree: false,
    clockAhead: null,
    awaitsLook: false,
    newestAt: NOW - 3 * HOUR - SECOND,
    startAt: 0,
    demand: { ...demand, streams: 1, requests: 1, windows: 1, httpMs: null },
    streamReports: streams,
    ...more,
  } as SourceReport;
}

const healthy: Circumstance = { now: NOW, workers: 1, plannerAge: SECOND, round: undefined, silent: [], doubted: [] };
const causes = (source: SourceReport, more: Partial<Circumstance> = {}) =>
  causesOf(source, { ...healthy, ...more }, []);
const parts = (source: SourceReport, more: Partial<Circumstance> = {}) =>
  causes(source, more).map(({ cause, length }) => [cause, length]);

describe('the causes of a lag', () => {
  const OVERDUE = 3 * HOUR - MINUTE;

  it('are its schedule alone where the source is in time', () => {
    expect(parts(report({ lag: 40 * SECOND, overdue: 0 }, [stream({ covered: [[0, NOW]] })]))).toEqual([
      ['platform', 3 * HOUR + SECOND],
      ['schedule', 40 * SECOND],
    ]);
    expect(parts(report({ lag: 40 * SECOND, overdue: 0, newestAt: null }))).toEqual([['schedule', 40 * SECOND]]);
  });

  it.each([
    ['operator', { state: 'paused' as const }, {}, /paused/],
    ['operator', { state: 'stopped' as const, fault }, {}, /operator: no answer/],
    ['bridge', {}, { workers: 0 }, /no process/],
    ['bridge', { clocksDisagree: true }, {}, /clocks/],
    ['bridge', {}, { plannerAge: null }, /plans/],
    ['bridge', { outboxFullSince: NOW }, {}, /outbox of pumps/],
    ['look', { awaitsLook: true, lookFault: fault }, {}, /look for sensors: no answer/],
    ['retry', { heldUntil: NOW + MINUTE, failures: 3, fault }, {}, /00:01:00Z, after 3 failures in a row: no answer/],
    ['retry', { failures: 1, fault }, {}, /a failure: no answer/],
    ['pace', { heldUntil: NOW + MINUTE, fault: { ...fault, own: true as const } }, {}, /its pace until/],
    ['unknown', {}, {}, /no known reason/],
  ])('%s explains all that is overdue: %o %o', (cause, more, known, message) => {
    const [first, ...others] = causes(report(more), known);
    expect(first).toMatchObject({ cause, length: OVERDUE, message: expect.stringMatching(message) as string });
    expect(first?.remedy).not.toBe('');
    expect(others.map((other) => other.cause)).toEqual(['schedule']);
  });

  it('are those of the stream that is furthest behind', () => {
    const fresh = stream({ key: 'fresh', covered: [[0, NOW]], failures: 9, retryAt: NOW + HOUR, fault });
    const waiting = stream({ failures: 2, retryAt: NOW + MINUTE, fault });
    expect(causes(report({ newestAt: null }, [fresh, waiting]))[0]?.message).toMatch(/^stream hall is tried again/);
    const bad = { from: NOW - 3 * HOUR, to: NOW - HOUR, retryAt: NOW + HOUR, fault };
    expect(parts(report({ newestAt: null }, [fresh, stream({ unreadable: [bad] })]))[0]).toEqual([
      'unreadable',
      OVERDUE,
    ]);
  });

  it('are the parts of its polls where nothing keeps it from being asked, and they add up to the lag', () => {
    const hour = HOUR / 1_000;
    const round = { waited: 4 * hour, http: 1.5 * hour, normalise: 0.5 * hour, store: 0 };
    const found = causes(report(), { round });
    expect(found.map(({ cause }) => cause)).toEqual(['pace', 'http', 'normalise', 'schedule']);
    expect(found.reduce((sum, { length }) => sum + (length ?? 0), 0)).toBe(3 * HOUR);
    // Two streams are read beside each other, and a part of the lag stays unexplained.
    const small = { waited: 0, http: 60_000, normalise: 0, store: 2_000 };
    expect(parts(report({ streams: 2 }), { round: small })).toEqual([
      ['unknown', OVERDUE - 31 * SECOND],
      ['schedule', MINUTE],
      ['http', 30 * SECOND],
      ['store', SECOND],
    ]);
  });

  it('have no length where the source never had a stream', () => {
    const source = report({ streams: 0, lag: null, overdue: null, lookFault: fault, newestAt: null }, []);
    expect(parts(source)).toEqual([['look', null]]);
  });
});
