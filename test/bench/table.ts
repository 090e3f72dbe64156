import { table } from '../../src/terminal/output.ts';
import type { Measure } from './bench.ts';

/** The measures of one bench. */
export interface BenchResult {
  readonly bench: string;
  readonly measures: readonly Measure[];
}

/** Whether the aim was reached; undefined if the measure has no aim. */
export function isMet({ aim, value }: Measure): boolean | undefined {
  if (aim === undefined) return undefined;
  return 'atLeast' in aim ? value >= aim.atLeast : value <= aim.atMost;
}

/** All measures as text, missed aims marked. */
export function tableOf(results: readonly BenchResult[]): string {
  const rows = results.flatMap(({ bench, measures }) =>
    measures.map((measure) => [
      bench,
      measure.what,
      `${format(measure.value)} ${measure.unit}`.trimEnd(),
      aimOf(measure),
      { true: 'reached', false: 'MISSED', undefined: '' }[String(isMet(measure)) as 'true'],
      measure.note ?? '',
    ]),
  );
  return table(['bench', 'what', 'measured', 'aim', '', 'note'], rows);
}

/** At least three significant digits; whole numbers from 1,000 on. */
export const format = (value: number): string =>
  Math.abs(value) >= 1_000 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(3)));

function aimOf({ aim, unit }: Measure): string {
  if (aim === undefined) return '';
  const [sign, limit] = 'atLeast' in aim ? ['≥', aim.atLeast] : ['≤', aim.atMost];
  return `${sign} ${format(limit)} ${unit}`.trimEnd();
}
