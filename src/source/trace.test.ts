import { expect, test } from 'vitest';
import { MINUTE, SECOND } from '../core/instant.ts';
import { FATES, fateOf, wordsFor } from './trace.ts';
import type { Fate, TraceFacts } from './trace.ts';

const NOW = 1_800_000_000 * SECOND;
const facts: TraceFacts = {
  now: NOW,
  state: 'active',
  start: NOW - 60 * MINUTE,
  edge: NOW - MINUTE,
  settle: MINUTE,
  heldUntil: null,
  awaitsLook: false,
  pollDueAt: NOW + SECOND,
  historyDueAt: null,
  covered: false,
  askedAgain: false,
  doubt: null,
  unreadable: null,
  askedAt: null,
  keptFrom: null,
};
const unreadable = { message: 'no JSON', retryAt: NOW + MINUTE };
const none = { stored: false, refused: false };

test.each<[Fate, Partial<TraceFacts>, number, { stored: boolean; refused: boolean }]>([
  ['stored', {}, NOW + MINUTE, { stored: true, refused: true }],
  ['refused', { covered: true }, NOW, { stored: false, refused: true }],
  ['nothing', { covered: true }, NOW - 90 * MINUTE, none],
  ['future', {}, NOW + 1, none],
  ['unreadable', { unreadable }, NOW - 5 * MINUTE, none],
  ['not-settled', {}, NOW - MINUTE, none],
  ['missing', {}, NOW - MINUTE - 1, none],
  ['before-start', {}, NOW - 61 * MINUTE, none],
  ['not-kept', { keptFrom: NOW, covered: true }, NOW - 1, { stored: true, refused: true }],
  ['stored', { keptFrom: NOW }, NOW, { stored: true, refused: false }],
])('a point is %s', (fate, more, at, found) => {
  expect(fateOf({ ...facts, ...more }, at, found)).toBe(fate);
});

test('each fate has a sentence, and a time that is named is not in the past', () => {
  const told = FATES.map((fate) =>
    wordsFor(
      fate,
      { ...facts, unreadable: { ...unreadable, retryAt: NOW - MINUTE }, pollDueAt: NOW - MINUTE },
      { at: NOW - 2 * MINUTE, name: 'hall', refused: { reason: 'not-a-number', raw: '"n/a"' } },
    ),
  );
  expect(told.map(({ message }) => message)).toEqual([
    'it is stored',
    'it was refused: not-a-number, the platform sent "n/a"',
    'the platform was asked for its time, and gave no point of that instant',
    'its time cannot be read: no JSON; it is tried again at 2027-01-15T08:00:00Z',
    'it is asked for when it has settled: from 2027-01-15T08:00:00Z',
    'its time is not covered yet: from 2027-01-15T08:00:00Z',
    'it lies before the start of the source, 2027-01-15T07:00:00Z, so it is never asked for',
    'its time has not come',
    'readings before 2027-01-15T07:58:00Z are not kept in its project, so it was removed, or is never asked for',
  ]);
});

test('time that was asked for twice because of a silence says so', () => {
  const at = { at: NOW - 2 * MINUTE, name: 'hall', refused: undefined };
  const message = (doubt: TraceFacts['doubt']): string =>
    wordsFor('nothing', { ...facts, askedAgain: doubt === 'asking', doubt }, at).message;
  expect(message('asking')).toMatch(/so this time is asked for once more$/);
  expect(message('answered')).toMatch(/so this time was asked for twice$/);
});

test('a source that is not asked says why, with the command that helps', () => {
  const at = { at: NOW - 2 * MINUTE, name: 'hall', refused: undefined };
  expect(wordsFor('missing', { ...facts, state: 'paused' }, at)).toEqual({
    message: 'its time is not covered yet: the source is paused',
    remedy: 'databridge source resume hall',
  });
  expect(wordsFor('missing', { ...facts, heldUntil: NOW + MINUTE }, at).message).toContain('waits until');
});
