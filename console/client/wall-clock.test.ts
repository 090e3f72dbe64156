import { describe, expect, it } from 'vitest';
import { doubledOffset, instantOfWallText, wallText } from './wall-clock.ts';

const at = (text: string): number => Date.parse(text);

describe('the clock on the wall', () => {
  it.each([
    ['Europe/Berlin', '2026-11-22T09:00:00Z', '2026-11-22 10:00'],
    ['Asia/Kolkata', '2026-11-22T09:00:00Z', '2026-11-22 14:30'],
    ['UTC', '2026-11-22T09:00:00Z', '2026-11-22 09:00'],
    // The hour from two to three comes twice.
    ['Europe/Berlin', '2026-10-24T23:59:00Z', '2026-10-25 01:59'],
    ['Europe/Berlin', '2026-10-25T00:30:00Z', '2026-10-25 02:30+02'],
    ['Europe/Berlin', '2026-10-25T01:30:00Z', '2026-10-25 02:30+01'],
    ['Europe/Berlin', '2026-10-25T02:00:00Z', '2026-10-25 03:00'],
    ['America/New_York', '2026-11-01T05:30:00Z', '2026-11-01 01:30-04'],
    ['America/New_York', '2026-11-01T06:30:00Z', '2026-11-01 01:30-05'],
    // Half an hour only.
    ['Australia/Lord_Howe', '2026-04-04T14:45:00Z', '2026-04-05 01:45+11'],
    ['Australia/Lord_Howe', '2026-04-04T15:15:00Z', '2026-04-05 01:45+10:30'],
    ['Australia/Lord_Howe', '2026-04-04T14:15:00Z', '2026-04-05 01:15'],
  ])('of %s at %s is %s, and that text is this instant', (zone, instant, text) => {
    expect(wallText(zone, at(instant))).toBe(text);
    expect(instantOfWallText(zone, text)).toBe(at(instant));
  });

  it('means the earlier of two where no offset is written, and none where it is a wrong one', () => {
    expect(instantOfWallText('Europe/Berlin', '2026-10-25 02:30')).toBe(at('2026-10-25T00:30:00Z'));
    expect(instantOfWallText('Europe/Berlin', '2026-10-25 02:30+03')).toBeUndefined();
    expect(instantOfWallText('Europe/Berlin', '2026-11-22 10:00+02:00')).toBeUndefined();
    expect(instantOfWallText('Asia/Kolkata', '2026-11-22 14:30+0530')).toBe(at('2026-11-22T09:00:00Z'));
  });

  it('goes on after an hour that it leaves out, and begins a day without a midnight at its first minute', () => {
    expect(instantOfWallText('Europe/Berlin', '2026-03-29 02:30')).toBe(at('2026-03-29T01:30:00Z'));
    expect(instantOfWallText('Africa/Cairo', '2026-04-24')).toBe(at('2026-04-23T22:00:00Z'));
    expect(wallText('Africa/Cairo', at('2026-04-23T22:00:00Z'))).toBe('2026-04-24 01:00');
  });

  it.each(['2026-02-30 10:00', '2026-11-22 24:00', '2026-11-22 10', 'x'])('is not %j', (text) => {
    expect(instantOfWallText('UTC', text)).toBeUndefined();
  });

  it('has no doubled hour in a zone that keeps its clocks', () => {
    expect(doubledOffset('Asia/Kolkata', at('2026-10-25T00:30:00Z'))).toBe('');
  });
});
