import { describe, expect, it, vi } from 'vitest';
import { SECOND, parseInstant } from '../core/instant.ts';
import { parseTime } from './options.ts';

const NOW = parseInstant('2026-11-20T12:00:00Z') ?? 0;

describe('a time in an option', () => {
  it.each([
    ['2026-11-01', '2026-11-01T00:00:00Z'],
    ['2026-11-01T06:30', '2026-11-01T06:30:00Z'],
    ['2026-11-01 06:30:15.5', '2026-11-01T06:30:15.500Z'],
  ])('without a zone (%s) is read as UTC, and a note says so once', (text, utc) => {
    const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    try {
      expect(parseTime(text, NOW, '--from')).toBe(parseInstant(utc));
      parseTime(text, NOW, '--from');
      expect(write.mock.calls).toEqual([
        [expect.stringContaining(`--from ${text} has no zone and is read as UTC: 2026`)],
      ]);
    } finally {
      write.mockRestore();
    }
  });

  it('with a zone, or as a duration before now, is read without a word', () => {
    const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    try {
      expect(parseTime('2026-11-01T01:00:00+01:00', NOW, '--to')).toBe(parseInstant('2026-11-01T00:00:00Z'));
      expect(parseTime('90s', NOW, '--to')).toBe(NOW - 90 * SECOND);
      expect(write).not.toHaveBeenCalled();
    } finally {
      write.mockRestore();
    }
  });

  it.each(['2026-13-01', '2026-11-01T25:00', 'yesterday', ''])('that is none (%s) is refused', (text) => {
    expect(() => parseTime(text, NOW, '--from')).toThrow('is not a time');
  });
});
