import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startProgress } from './progress.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A stream that keeps everything that is written to it. */
function streamOf(isTTY: boolean): { stream: NodeJS.WriteStream; written: string[] } {
  const written: string[] = [];
  const stream = { isTTY, columns: 200, write: (text: string) => written.push(text) };
  return { stream: stream as unknown as NodeJS.WriteStream, written };
}

test('off a terminal there is one line every five seconds, and troubles at once', () => {
  const { stream, written } = streamOf(false);
  const progress = startProgress({ share: 0, facts: ['0 readings', ''] }, stream);
  progress.update({ share: 0.429, facts: ['3 readings', '', 'source waits'] });
  expect(written).toEqual([]);
  vi.advanceTimersByTime(5_000);
  progress.tell('overloaded; trying again');
  progress.tell(undefined);
  progress.stop();
  vi.advanceTimersByTime(60_000);
  expect(written).toEqual(['42% │ 3 readings │ source waits\n', 'overloaded; trying again\n', 'it goes on\n']);
});

test('a task without a known end shows its facts as lines, also on a terminal', () => {
  const { stream, written } = streamOf(true);
  const progress = startProgress({ share: undefined, facts: ['3 readings'] }, stream);
  vi.advanceTimersByTime(5_000);
  progress.stop();
  expect(written).toEqual(['3 readings\n']);
});

test('on a terminal there is a bar with the share, the facts and the trouble, and the last state stays', () => {
  const { stream, written } = streamOf(true);
  const progress = startProgress({ share: 0, facts: ['0 readings'] }, stream);
  progress.tell('overloaded');
  progress.update({ share: 0.5, facts: ['3 readings', '1 refused'] });
  vi.advanceTimersByTime(1_000);
  expect(written.join('')).toContain(' 50% │ 3 readings │ 1 refused │ overloaded');
  progress.tell(undefined);
  progress.update({ share: 1.2, facts: ['6 readings'] });
  progress.stop();
  expect(written.join('')).toMatch(/ 100% │ 6 readings(?! │)/);
  expect(vi.getTimerCount()).toBe(0);
});
