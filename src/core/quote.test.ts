import { describe, expect, it } from 'vitest';
import { DAY, HOUR, MINUTE, SECOND } from './instant.ts';
import { partOf, quoteOf } from './quote.ts';
import type { Means, Quote, QuotedStream } from './quote.ts';
import { afterWindow } from './learn.ts';

const BOUNDS = { minWindow: MINUTE, maxWindow: DAY, align: SECOND, comfortable: 10_000 };
const MEANS: Means = {
  requestsPerSecond: 5,
  concurrency: 2,
  liveRequestsPerSecond: 1,
  quietShare: 0,
  requestsPerDay: undefined,
  worked: undefined,
};

/** A reading a second, and a request for each 1,000 of them. */
const SEEN = { windows: 100, requests: 360, bytes: 36_000_000, readings: 360_000, time: 100 * HOUR };

const streamOf = (more: Partial<QuotedStream> = {}): QuotedStream => ({
  wanted: [{ from: 0, to: 10 * DAY }],
  learned: { length: 10_000 * SECOND },
  seen: SEEN,
  ...more,
});

const quoteFor = (streams: readonly QuotedStream[], means: Means): Quote =>
  quoteOf(
    streams.map((stream) => partOf(stream, BOUNDS)),
    means,
  );

describe('a quote', () => {
  it('counts windows as they will be asked for, and expects the data that was seen', () => {
    const quote = quoteFor([streamOf()], MEANS);
    expect(quote).toMatchObject({ streams: 1, windows: 87, timeSeconds: 864_000, basis: 100 });
    expect(quote.readings.expected).toBe(864_000);
    expect(quote.bytes.expected).toBe(86_400_000);
    // 260 a hundred windows are beyond the first of each, for the same readings.
    expect(quote.requests.expected).toBe(87 + Math.round((260 * 864) / 360));
    expect(quote.requestsPerSecond).toBe(4);
    expect(quote.seconds?.expected).toBe(Math.ceil(quote.requests.expected / 4));
    expect(quote.requests.least).toBeLessThan(quote.requests.expected);
    expect(quote.requests.most).toBeGreaterThan(quote.requests.expected);
  });

  it('lets windows grow from the first length as a run does', () => {
    const density = 360_000 / (100 * HOUR);
    let [learned, at, windows] = [{ length: HOUR }, 0, 0];
    while (at < 10 * DAY) {
      const asked = Math.min(learned.length, 10 * DAY - at);
      learned = afterWindow(learned, { asked, size: density * asked, ...BOUNDS });
      at += asked;
      windows += 1;
    }
    expect(quoteFor([streamOf({ learned: { length: HOUR } })], MEANS).windows).toBe(windows);
  });

  it('takes a window at least for each stretch, and nothing where nothing is wanted', () => {
    const wanted = Array.from({ length: 40 }, (_, place) => ({ from: place * HOUR, to: place * HOUR + SECOND }));
    expect(quoteFor([streamOf({ wanted })], MEANS).windows).toBe(40);
    expect(quoteFor([streamOf({ wanted: [] })], MEANS)).toMatchObject({
      windows: 0,
      requests: { expected: 0, least: 0, most: 0 },
      seconds: { expected: 0, least: 0 },
    });
  });

  it('says that nothing is known where no window showed anything, and is less sure the fewer showed it', () => {
    const unknown = quoteFor([streamOf({ seen: undefined })], MEANS);
    expect(unknown).toMatchObject({ basis: 0, readings: { expected: 0 } });
    expect(unknown.requests.expected).toBe(unknown.windows);
    const few = quoteFor([streamOf({ seen: { ...SEEN, windows: 4, requests: 14 } })], MEANS);
    const many = quoteFor([streamOf({ seen: { ...SEEN, windows: 40_000, requests: 144_000 } })], MEANS);
    expect(few.readings.most).toBeGreaterThan(many.readings.most);
  });

  it('takes as long as the slowest of pace, places, quiet hours and requests of a day allow', () => {
    const seconds = (more: Partial<Means>) => quoteFor([streamOf()], { ...MEANS, ...more }).seconds?.expected;
    const requests = quoteFor([streamOf()], MEANS).requests.expected;
    expect(seconds({ worked: { usual: 4 * SECOND, least: SECOND, most: 5 * SECOND } })).toBe(requests * 2);
    expect(seconds({ quietShare: 0.5 })).toBe(Math.ceil(requests / 2));
    expect(seconds({ requestsPerDay: requests / 3 })).toBe((2 * DAY) / SECOND);
    expect(seconds({ quietShare: 1 })).toBeUndefined();
    expect(seconds({ liveRequestsPerSecond: 5 })).toBeUndefined();
    const host = { requestsPerSecond: 3, liveRequestsPerSecond: 2 };
    expect(seconds({ host })).toBe(requests);
    expect(seconds({ host: { ...host, liveRequestsPerSecond: 3 } })).toBeUndefined();
    expect(seconds({ host: { requestsPerSecond: 100, liveRequestsPerSecond: 2 } })).toBe(seconds({}));
  });
});
