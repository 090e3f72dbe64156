import { expect, it } from 'vitest';
import { DAY } from './instant.ts';
import { refusalsDocument } from './kept-refusals.ts';
import { REFUSALS } from './reading.ts';
import { remedyOf } from './refusal-remedies.ts';

it('refused points become a document with instants as text and the remedies of its reader', () => {
  const sums = {
    reasons: [
      { reason: 'null' as const, refused: 3, series: 1, first: 0, last: DAY },
      { reason: 'bad-instant' as const, refused: 1, series: 1, first: null, last: null },
    ],
    series: [
      {
        sensor: 'pump',
        variable: 'flow',
        reason: 'null' as const,
        refused: 3,
        first: 0,
        last: DAY,
        project: 'hall',
        examples: [
          { at: 0, raw: 'null' },
          { at: null, raw: 'never' },
        ],
      },
    ],
  };
  const [first, last] = ['1970-01-01T00:00:00Z', '1970-01-02T00:00:00Z'];
  for (const reader of ['operator', 'pusher'] as const) {
    expect(refusalsDocument(sums, reader)).toEqual({
      reasons: [
        { ...sums.reasons[0], first, last, meaning: REFUSALS.null, remedy: remedyOf('null', reader) },
        { ...sums.reasons[1], meaning: REFUSALS['bad-instant'], remedy: remedyOf('bad-instant', reader) },
      ],
      series: [
        {
          ...sums.series[0],
          first,
          last,
          examples: [
            { at: first, raw: 'null' },
            { at: null, raw: 'never' },
          ],
        },
      ],
    });
  }
});
