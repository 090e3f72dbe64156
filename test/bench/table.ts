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

/** All measures as text, missed aims marked: those of loads side by side, the others one below the other. */
export function tableOf(results: readonly BenchResult[]): string {
  const ofLoads = results.flatMap(({ bench, measures }) => {
    const { heading, rows } = sideBySide(measures.filter(({ of }) => of !== undefined));
    return rows.length === 0 ? [] : [table([bench, ...heading.slice(1)], rows)];
  });
  const rows = results.flatMap(({ bench, measures }) =>
    measures
      .filter(({ of }) => of === undefined)
      .map((measure) => [
        bench,
        measure.what,
        `${format(measure.value)} ${measure.unit}`.trimEnd(),
        aimOf(measure),
        { true: 'reached', false: 'MISSED', undefined: '' }[String(isMet(measure)) as 'true'],
        measure.note ?? '',
      ]),
  );
  const others = rows.length === 0 ? [] : [table(['bench', 'what', 'measured', 'aim', '', 'note'], rows)];
  return [...ofLoads, ...others].join('\n\n');
}

/** Measures of several loads as a table with a column a load. A cell that misses its aim says the aim. */
export function sideBySide(measures: readonly Measure[]): { heading: string[]; rows: string[][] } {
  const loads = [...new Set(measures.map(({ of = '' }) => of))];
  const whats = new Map(measures.map(({ what, unit }) => [what, unit]));
  const rows = [...whats].map(([what, unit]) => [
    unit === '' ? what : `${what}, ${unit}`,
    ...loads.map((load) => {
      const measure = measures.find((one) => one.of === load && one.what === what);
      if (measure === undefined) return '';
      return format(measure.value) + (isMet(measure) === false ? ` (aim ${aimOf({ ...measure, unit: '' })})` : '');
    }),
  ]);
  return { heading: ['', ...loads], rows };
}

/** At least three significant digits; whole numbers from 1,000 on. */
export const format = (value: number): string =>
  Math.abs(value) >= 1_000 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(3)));

function aimOf({ aim, unit }: Measure): string {
  if (aim === undefined) return '';
  const [sign, limit] = 'atLeast' in aim ? ['≥', aim.atLeast] : ['≤', aim.atMost];
  return `${sign} ${format(limit)} ${unit}`.trimEnd();
}
