import { Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startProgress } from './progress.ts';

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubEnv('TERM', 'xterm');
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

/** A stream that keeps everything that is written to it. */
function streamOf(isTTY: boolean, columns = 80): { stream: NodeJS.WriteStream; written: string[] } {
  const written: string[] = [];
  const stream = Object.assign(new Writable(), { isTTY, columns, write: (text: string) => written.push(text) });
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

test('a dumb terminal gets lines, because its cursor cannot be moved', () => {
  vi.stubEnv('TERM', 'dumb');
  const { stream, written } = streamOf(true);
  const progress = startProgress({ share: 0.5, facts: ['3 readings'] }, stream);
  vi.advanceTimersByTime(5_000);
  progress.stop();
  expect(written).toEqual(['50% │ 3 readings\n']);
});

test('a task without a known end shows its facts as lines, also on a terminal', () => {
  const { stream, written } = streamOf(true);
  const progress = startProgress({ share: undefined, facts: ['3 readings'] }, stream);
  vi.advanceTimersByTime(5_000);
  progress.stop();
  expect(written).toEqual(['3 readings\n']);
});

test('on a terminal there is a bar with the share and the facts, the trouble below it, and the last state stays', () => {
  const { stream, written } = streamOf(true);
  const progress = startProgress({ share: 0, facts: ['0 readings'] }, stream);
  progress.tell('overloaded');
  progress.update({ share: 0.5, facts: ['3 readings', '1 refused'] });
  vi.advanceTimersByTime(1_000);
  expect(stripVTControlCharacters(written.at(-1) ?? '')).toMatch(
    /^\r?█+░+ {2}50% │ 3 readings │ 1 refused\noverloaded\n$/,
  );
  progress.tell(undefined);
  progress.update({ share: 1.2, facts: ['6 readings'] });
  progress.stop();
  expect(stripVTControlCharacters(written.at(-2) ?? '')).toMatch(/^\r?█+ 100% │ 6 readings\n$/);
  // The cursor is shown again.
  expect(written.at(-1)).toBe('\u001B[?25h');
  expect(vi.getTimerCount()).toBe(0);
});

test.each([40, 60, 80, 120])('no line of a bar is wider than a terminal of %i columns', (columns) => {
  const { stream, written } = streamOf(true, columns);
  const progress = startProgress({ share: 0.3, facts: ['12,345,678 readings', 'about 3h20m left'] }, stream);
  progress.tell('no process polls since 2026-11-20T12:03:10Z; start databridge up. '.repeat(3));
  progress.stop();
  const lines = written.flatMap((text) => stripVTControlCharacters(text).replaceAll('\r', '').split('\n'));
  expect(lines.filter((line) => line.length > columns)).toEqual([]);
});
