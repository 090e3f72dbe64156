import { expect, it } from 'vitest';
import { HOUR, MINUTE, SECOND } from '../../core/instant.ts';
import type { SourceReport } from '../../source/report.ts';
import { whyInWords } from './source-why.ts';

const report = (more: Partial<SourceReport>): SourceReport =>
  ({
    name: 'hall-3',
    state: 'active',
    condition: 'failing',
    every: MINUTE,
    streams: 1,
    failures: 0,
    fault: null,
    allRefused: null,
    gaps: false,
    lastSuccessAt: 0,
    ...more,
  }) as SourceReport;

it('says that a source is failing where every point is refused', () => {
  expect(whyInWords(report({ allRefused: 'boolean', lag: 40 * SECOND, overdue: 0 }), [])).toEqual([
    'hall-3 is failing, 40s behind.',
  ]);
});

it('says that a source is well, and why it is not younger', () => {
  const cause = { cause: 'schedule', length: 40 * SECOND, message: 'a poll every minute', remedy: 'nothing' } as const;
  expect(whyInWords(report({ condition: 'well', lag: 40 * SECOND, overdue: 0 }), [cause])).toEqual([
    'hall-3 is well, 40s behind.',
    '',
    '40s: a poll every minute',
    '  try: nothing',
  ]);
});

it('says since when a source that never worked is tried', () => {
  const [, , never] = whyInWords(report({ lag: null, lastSuccessAt: null, createdAt: 0 }), []);
  expect(never?.replaceAll(/\s+/g, ' ')).toBe(
    'No poll of it has succeeded since it was registered at 1970-01-01T00:00:00Z.',
  );
  expect(whyInWords(report({ state: 'paused', lag: null, lastSuccessAt: null }), [])).toHaveLength(1);
});

it('gives each cause its time and remedy in 80 columns', () => {
  const cause = {
    cause: 'retry',
    length: 2 * HOUR,
    message: 'no answer '.repeat(20).trim(),
    remedy: 'look '.repeat(40).trim(),
  } as const;
  const lines = whyInWords(report({ lag: 2 * HOUR + MINUTE, overdue: 2 * HOUR, failures: 3, gaps: true }), [cause]);
  expect(lines[0]).toBe('hall-3 is failing, 2h1m behind, 2h more than its schedule allows.');
  expect(lines.at(-1)).toMatch(/source coverage hall-3/);
  expect(lines.flatMap((line) => line.split('\n')).filter((line) => line.length > 80)).toEqual([]);
});
