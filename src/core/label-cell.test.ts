import fc from 'fast-check';
import { expect, test } from 'vitest';
import { labelsCell, labelsIn } from './label-cell.ts';

test('labels are read from a cell as they were written, and a lone backslash is itself', () => {
  const label = fc.string({ unit: fc.constantFrom('a', ';', '\\', '"', ' '), minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(fc.array(label, { minLength: 1, maxLength: 4 }), (labels) => {
      expect(labelsIn(labelsCell(labels))).toEqual(labels);
    }),
  );
  expect(labelsIn(String.raw`C:\plant;hall`)).toEqual([String.raw`C:\plant`, 'hall']);
});
