import fc from 'fast-check';
import { expect, it } from 'vitest';
import { judgePushed } from '../ingest/pushed-readings.ts';
import { readingSchema } from './push-schema.ts';

const now = Date.parse('2026-11-21T08:00:00Z') * 1_000;

/** Readings near the limits of every rule that a JSON schema can express. */
const reading = fc.record(
  {
    sensorId: fc.oneof(fc.constantFrom('a', '', 'x'.repeat(256), 'x'.repeat(257)), fc.constantFrom(1, null)),
    valueName: fc.constantFrom('none', 'A_9', '', 'a-b', 'x'.repeat(128), 'x'.repeat(129), null, 1),
    date: fc.constantFrom('2026-11-20T08:15:30Z', 7, null),
    value: fc.oneof(fc.double({ noNaN: true }), fc.constantFrom('1', null, true, {})),
    precision: fc.constantFrom(0, 100, 101, -1, 99.5, '5', null),
    labels: fc.oneof(
      fc.array(fc.constantFrom('a', '', 'x'.repeat(128), 'x'.repeat(129), 1)),
      fc.constantFrom('a', null),
    ),
    more: fc.constant(1),
  },
  { requiredKeys: [] },
);

it('accepts exactly the readings that the rules of readings accept', () => {
  let accepted = 0;
  fc.assert(
    fc.property(reading, (given) => {
      const judged = judgePushed([given], { now });
      accepted += judged.readings;
      expect(readingSchema.safeParse(given).success).toBe(judged.readings === 1);
    }),
    { numRuns: 20_000 },
  );
  expect(accepted).toBeGreaterThan(0);
});
