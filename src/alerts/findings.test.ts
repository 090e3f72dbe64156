import { describe, expect, test } from 'vitest';
import { DAY, HOUR, SECOND } from '../core/instant.ts';
import type { SourceLine } from '../source/report.ts';
import { backupFinding, diskFinding, plannerFinding } from './bridge-findings.ts';
import { DEFAULT_RULES } from './rules.ts';
import { toldOnce, toldTroubles, troubleFinding, unwellFinding, unwellLines } from './source-findings.ts';
import { troubleOf } from './judgement.ts';
import type { Judgement } from './judgement.ts';

describe('the bridge', () => {
  test('a silent planner fails only where a source is active', () => {
    expect(plannerFinding({ plannerAge: SECOND, activeSources: 1 }).state).toBe('ok');
    expect(plannerFinding({ plannerAge: 60 * SECOND, activeSources: 1 }).state).toBe('failed');
    expect(plannerFinding({ plannerAge: null, activeSources: 1 }).state).toBe('failed');
    expect(plannerFinding({ plannerAge: null, activeSources: 0 }).state).toBe('warning');
  });

  test('a disk warns below the limit of the rules, and fails where it is nearly full', () => {
    const at = { host: 'h', place: '/home', least: 5e9 };
    const stateOf = (free: number) => diskFinding({ free, size: 1e11 }, at).state;
    expect([6e9, 4e9, 4e8].map(stateOf)).toEqual(['ok', 'warning', 'failed']);
  });

  test('a backup is expected of an embedded database, and of one of which a backup was made', () => {
    const now = 100 * DAY;
    const stateOf = (backedUpAt: number | null, isEmbedded: boolean) =>
      backupFinding({ now, backedUpAt, madeAt: 0 }, { most: 7 * DAY, isEmbedded }).state;
    expect(stateOf(null, true)).toBe('warning');
    expect(stateOf(null, false)).toBe('ok');
    expect(stateOf(now - DAY, true)).toBe('ok');
    expect(stateOf(now - 8 * DAY, false)).toBe('warning');
  });
});

describe('a source', () => {
  test('each trouble has its state, its detail and a remedy', () => {
    const name = { source: 'hall-3', organisation: 'default', stream: null };
    const trouble = { ...name, failures: 4, until: null, fault: null, clock: null };
    const fault = { code: 'unavailable', message: 'no route', remedy: 'open the firewall', at: '' };
    expect(troubleFinding({ ...trouble, kind: 'stopped' }, 0)).toMatchObject({
      state: 'failed',
      remedy: expect.stringContaining('source resume hall-3') as string,
    });
    expect(troubleFinding({ ...trouble, organisation: 'acme', kind: 'stopped' }, 0)).toMatchObject({
      check: 'source acme/hall-3',
      remedy: expect.stringContaining('source resume hall-3 --organisation acme') as string,
    });
    expect(troubleFinding({ ...trouble, kind: 'stalled' }, 0)).toMatchObject({ state: 'failed' });
    expect(troubleFinding({ ...trouble, kind: 'failing', fault }, 0)).toMatchObject({
      state: 'warning',
      detail: '4 failures in a row: no route',
      remedy: 'open the firewall',
    });
    expect(troubleFinding({ ...trouble, stream: 'pump', kind: 'waiting', until: 0 }, -1)).toMatchObject({
      check: 'stream pump of hall-3',
      detail: '4 failures, waits until 1970-01-01T00:00:00Z',
    });
    expect(troubleFinding({ ...trouble, stream: 'pump', kind: 'waiting', until: 0 }, 1).detail).toBe('4 failures');
    expect(troubleFinding({ ...trouble, kind: 'looking', fault }, 0)).toMatchObject({
      check: 'sensors of hall-3',
      detail: '4 looks in a row with a fault: no route',
      remedy: 'open the firewall',
    });
    const clock = { ahead: -8 * SECOND, settle: SECOND };
    expect(troubleFinding({ ...trouble, kind: 'clock', clock }, 0)).toMatchObject({
      state: 'warning',
      detail: expect.stringContaining('8s behind ours') as string,
      remedy: expect.stringContaining('set settle to 9s') as string,
    });
  });

  const line = (more: Partial<SourceLine> = {}): SourceLine =>
    ({
      name: 'hall',
      organisation: 'default',
      state: 'active',
      every: 10 * SECOND,
      settle: 0,
      streams: 1,
      lag: 1,
      overdue: 0,
      failures: 0,
      fault: null,
      lookFault: null,
      allRefused: null,
      lastSuccessAt: 1,
      newestAt: 0,
      silence: { sensors: 3, silent: 2, never: 1, muted: 0 },
      condition: 'well',
      ...more,
    }) as SourceLine;

  const by = (limits: { overdue?: number; silence?: number } = {}) => ({
    now: 7 * HOUR,
    limits: { overdue: undefined, silence: undefined, ...limits },
  });

  test('is behind against its own rhythm, and late by more than the rule says', () => {
    expect(unwellLines([line()], [])).toEqual([]);
    expect(unwellFinding(line({ condition: 'behind', overdue: 2 * HOUR }), by())).toMatchObject({
      kind: 'behind',
      detail: 'late by more than 1h, without a fault',
    });
    expect(unwellLines([line({ every: 3 * HOUR, overdue: 2 * HOUR })], [])).toEqual([]);
    expect(unwellLines([line({ condition: 'behind' })], [])).toHaveLength(1);
    expect(unwellFinding(line({ condition: 'behind', overdue: 2 * HOUR }), by({ overdue: 3 * HOUR }))).toBeUndefined();
  });

  test('with a silent sensor has an alert of silence, which a rule may keep back for longer', () => {
    const silent = line({ condition: 'silent' });
    expect(unwellFinding(silent, by())).toMatchObject({
      kind: 'silent',
      detail: '2 of 3 sensors silent, 1 of them has never given a reading',
      cause: 'sensors without new readings',
    });
    expect(unwellFinding(silent, by({ silence: 8 * HOUR }))).toBeUndefined();
    const muted = (count: number) =>
      line({ condition: 'silent', silence: { sensors: 3, silent: 2, never: 0, muted: count } });
    expect(unwellFinding(muted(1), by())?.detail).toBe('2 of 3 sensors silent; 1 of the silent ones muted');
    expect(unwellFinding(muted(2), by())).toBeUndefined();
    expect(unwellFinding(line({ condition: 'silent', newestAt: null }), by({ silence: 8 * HOUR }))?.kind).toBe(
      'silent',
    );
  });

  test('whose points were all refused has an alert of refusals, and a broken contract has one of its own', () => {
    expect(unwellFinding(line({ condition: 'failing', allRefused: 'text-number' }), by())?.kind).toBe('refusals');
    const fault = { code: 'contract-broken', message: 'a web page', at: '' };
    const trouble = {
      source: 'hall',
      organisation: 'default',
      stream: null,
      failures: 1,
      until: null,
      fault,
      clock: null,
    };
    expect(troubleFinding({ ...trouble, kind: 'failing' }, 0).kind).toBe('contract');
  });

  test('with refused points and silent sensors is told once, of both', () => {
    const finding = (kind: 'refusals' | 'silent' | 'behind', subject: string, detail: string): Judgement => ({
      check: `source ${subject}`,
      state: 'warning',
      organisation: 'default',
      kind,
      subject,
      detail,
    });
    const [silent, behind, all] = [
      finding('silent', 'hall', '2 of 3 sensors silent'),
      finding('behind', 'late', 'late'),
      finding('refusals', 'pit', 'every point of 24h was refused'),
    ];
    const refusals = ['hall', 'late', 'pit'].map((name) => finding('refusals', name, 'more than 5 % refused'));
    expect(toldOnce([silent, behind, all], refusals)).toEqual([
      behind,
      all,
      finding('refusals', 'hall', 'more than 5 % refused; 2 of 3 sensors silent'),
      finding('refusals', 'late', 'more than 5 % refused'),
    ]);
    expect(toldOnce([{ ...silent, organisation: 'acme' }], refusals)).toHaveLength(4);
  });

  test('that fails is one trouble, however many of its streams wait for the same cause', () => {
    const fault = { code: 'unavailable', why: 'status' as const, status: 503, message: 'down', at: '' };
    const failing = {
      source: 'hall',
      organisation: 'default',
      stream: null,
      kind: 'failing' as const,
      failures: 2,
      until: null,
      fault,
      clock: null,
    };
    const waiting = { ...failing, kind: 'waiting' as const, stream: 'pump' };
    const otherwise = { ...waiting, fault: { code: 'contract-broken', message: 'a web page', at: '' } };
    const elsewhere = { ...waiting, source: 'pit' };
    const lines = [line({ streams: 2 }), line({ name: 'pit', streams: 2 })];
    const toldOf = (...troubles: Parameters<typeof toldTroubles>[0]) => toldTroubles(troubles, lines);
    expect(toldOf(failing, waiting, otherwise, elsewhere)).toEqual([failing, otherwise, elsewhere]);
    expect(toldOf({ ...failing, kind: 'looking' }, waiting)).toEqual([{ ...failing, kind: 'looking' }]);
    expect(toldOf(waiting)).toEqual([waiting]);
    expect(toldOf(waiting, { ...waiting, stream: 'fan', failures: 1 })).toEqual([failing]);
    expect(toldOf(waiting, { ...otherwise, stream: 'fan' })).toHaveLength(2);
  });

  test('that fails by a broken contract keeps that alert while nothing but its fault tells of it', () => {
    const fault = { code: 'contract-broken', message: 'a web page', at: '' };
    expect(unwellFinding(line({ condition: 'failing', fault }), by())?.kind).toBe('contract');
  });

  test('has the severity of doctor, unless a rule names another', () => {
    const finding = troubleFinding(
      {
        source: 'hall',
        organisation: 'default',
        stream: null,
        kind: 'stopped',
        failures: 1,
        until: null,
        fault: null,
        clock: null,
      },
      0,
    );
    expect(troubleOf(finding, DEFAULT_RULES)?.severity).toBe('critical');
    const mild = { ...DEFAULT_RULES, severityOf: () => 'warning' as const };
    expect(troubleOf(finding, mild)?.severity).toBe('warning');
    expect(troubleOf(finding, { ...DEFAULT_RULES, patienceOf: () => undefined })).toBeUndefined();
  });
});
