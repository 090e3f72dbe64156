import { describe, expect, it } from 'vitest';
import { MINUTE, SECOND } from './instant.ts';
import { ANSWERS_THAT_JUDGE, clockToTell, clockTrouble, provenAhead } from './platform-clock.ts';

const noon = 1_800_000_000 * SECOND;

/** `provenAhead` of answers of a platform whose clock is `off`, asked every 1.37 s, each taking its part of `took`. */
function answersOf(off: number, took: (place: number) => number = () => 0): number[] {
  return Array.from({ length: ANSWERS_THAT_JUDGE }, (_, place) => {
    const asked = noon + Math.round(place * 1.37 * SECOND);
    const answered = asked + took(place);
    const read = asked + Math.round((answered - asked) * ((place % 5) / 4)) + off;
    return provenAhead({ date: Math.floor(read / SECOND) * SECOND, asked, answered });
  });
}

describe("the verdict on a platform's clock", () => {
  it('is none on a clock that is right, whatever its answers take and at what instant of them it is read', () => {
    for (const most of [0, 0.3, 3, 40, 600]) {
      const proven = answersOf(0, (place) => Math.round((place / ANSWERS_THAT_JUDGE) * most * SECOND));
      expect(proven.every((ahead) => Math.abs(ahead) <= SECOND)).toBe(true);
      expect(clockToTell(proven, null)).toBeNull();
      expect(clockToTell(proven, 30 * SECOND)).toBeNull();
    }
  });

  it.each([30 * SECOND, -30 * SECOND, 3 * SECOND + 1, -3 * SECOND - 1])('tells of a clock that is %i µs off', (off) => {
    const told = clockToTell(
      answersOf(off, () => SECOND / 10),
      null,
    );
    expect(Math.abs((told ?? 0) - off)).toBeLessThan(1.2 * SECOND);
    // It is told once.
    expect(clockToTell(answersOf(off), told)).toBe(told);
    expect(clockToTell(answersOf(2 * off), told)).not.toBe(told);
  });

  it('needs answers that all agree, to tell and to take back', () => {
    const [right, ahead, behind] = [answersOf(0), answersOf(MINUTE), answersOf(-MINUTE)];
    expect(clockToTell([], MINUTE)).toBe(MINUTE);
    expect(clockToTell(ahead.slice(1), null)).toBeNull();
    for (const told of [null, MINUTE, -MINUTE]) {
      expect(clockToTell([...ahead.slice(1), ...right.slice(-1)], told)).toBe(told);
      expect(clockToTell([...ahead.slice(4), ...behind.slice(4)], told)).toBe(told);
      expect(clockToTell([...right.slice(1), ...ahead.slice(-1)], told)).toBe(told);
    }
  });

  it('never tells and takes back one and the same difference', () => {
    for (let off = -4 * SECOND; off <= 4 * SECOND; off += SECOND / 10) {
      const verdicts = Array.from({ length: 10 }, (_, phase) => {
        const proven = Array.from({ length: ANSWERS_THAT_JUDGE }, () => {
          const asked = noon + (phase * SECOND) / 10;
          return provenAhead({ date: Math.floor((asked + off) / SECOND) * SECOND, asked, answered: asked });
        });
        return { tells: clockToTell(proven, null) !== null, takesBack: clockToTell(proven, off) === null };
      });
      expect(verdicts.some(({ tells }) => tells) && verdicts.some(({ takesBack }) => takesBack)).toBe(false);
    }
  });

  it('says what each direction does to the windows of the source', () => {
    expect(clockTrouble(8 * SECOND, MINUTE).message).toMatch(/8s ahead of ours.*8s later.*none is lost/);
    expect(clockTrouble(-8 * SECOND, MINUTE).message).toMatch(/8s behind ours.*52s of settle are left/);
    expect(clockTrouble(-8 * SECOND, SECOND).message).toMatch(/8s behind ours.*only looks back/);
    expect(clockTrouble(-8 * SECOND, SECOND).remedy).toMatch(/by NTP.*set settle to 9s \(it is 1s\)/);
  });

  const eight = (ahead: number, more = ahead): number[] => [...Array<number>(7).fill(ahead), more];

  it.each([
    [2 * SECOND + 1, null, 2 * SECOND + 1],
    [2 * SECOND, null, null],
    [-2 * SECOND - 1, null, -2 * SECOND - 1],
    [-2 * SECOND, null, null],
    [SECOND, MINUTE, null],
    [-SECOND, MINUTE, null],
    [SECOND + 1, MINUTE, MINUTE],
    [-SECOND - 1, MINUTE, MINUTE],
    [8 * SECOND, 6 * SECOND, 6 * SECOND],
    [8 * SECOND + 1, 6 * SECOND, 8 * SECOND + 1],
    [-8 * SECOND, -6 * SECOND, -6 * SECOND],
  ])('after eight answers that prove %i µs, where %s was told, is %s', (ahead, told, verdict) => {
    expect(clockToTell(eight(ahead), told)).toBe(verdict);
  });

  it('is the sharpest of the bounds that the answers prove', () => {
    expect(clockToTell(eight(5 * SECOND, 7 * SECOND), null)).toBe(7 * SECOND);
    expect(clockToTell(eight(-5 * SECOND, -7 * SECOND), null)).toBe(-7 * SECOND);
  });
});

it.each([
  [0, 0, 0],
  [1, 0, 1],
  [SECOND, SECOND, 0],
  [-SECOND, SECOND, 0],
  [-SECOND - 1, 0, -1],
  [-SECOND - 1, SECOND, -1],
])('a date %i µs from the begin of a request that takes %i µs proves a difference of %i µs', (date, took, ahead) => {
  expect(provenAhead({ date: noon + date, asked: noon, answered: noon + took })).toBe(ahead);
});

it('an operator reads what the difference does, and what to do', () => {
  const byNtp =
    'set the clock of the platform by NTP, or that of a proxy before it; where several platforms are told so, check the clock of the database';
  expect(clockTrouble(8_400_000, MINUTE)).toEqual({
    message:
      "the platform's clock is 8s ahead of ours: points that it stamps itself are asked for 8s later than they could be; none is lost",
    remedy: byNtp,
  });
  expect(clockTrouble(-8_600_000, 10 * SECOND)).toEqual({
    message:
      "the platform's clock is 9s behind ours: points that it stamps itself seem to arrive that much later, so 1s of settle are left for late ones",
    remedy: `${byNtp}; until then set settle to 19s (it is 10s)`,
  });
  expect(clockTrouble(-9 * SECOND, 9 * SECOND)).toEqual({
    message:
      "the platform's clock is 9s behind ours: time is asked for before the points that it stamps itself are there; only looks back for late data (overlap, lookBackAtMost) find them",
    remedy: `${byNtp}; until then set settle to 18s (it is 9s)`,
  });
});
