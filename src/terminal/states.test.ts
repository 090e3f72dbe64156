import { expect, it } from 'vitest';
import { CONDITIONS } from '../core/condition.ts';
import { inColour } from './states.ts';

const mark = (style: string, text: string): string => `${style}:${text}`;

it('every condition of a source has a colour', () => {
  const painted = Object.keys(CONDITIONS).map((condition) => inColour(condition, condition, mark));
  expect(painted).toEqual([
    'red:stopped',
    'red:failing',
    'yellow:behind',
    'yellow:silent',
    'yellow:paused',
    'yellow:starting',
    'green:well',
  ]);
});

it('the first word decides, and an unknown one has no colour', () => {
  expect(inColour('active, old secret until …', 'active, old', mark)).toBe('green:active, old');
  expect(inColour('revoked 2026', 'revoked 2026', mark)).toBe('revoked 2026');
});
