import { availableParallelism, cpus, totalmem } from 'node:os';
import { table } from '../../src/terminal/output.ts';
import type { Measure } from '../bench/bench.ts';
import { sideBySide } from '../bench/table.ts';
import { markdownTable } from '../bench/written.ts';

/** The page with the tables, which `--write` replaces. */
export const PAGE = 'docs/peers.md';

/** What a run found. */
export interface Report {
  readonly points: number;
  readonly targets: number;
  /** How long the targets were watched, s. */
  readonly seconds: number;
  readonly peers: readonly { readonly name: string; readonly setup: string; readonly cannot: string | null }[];
  readonly versions: readonly string[];
  readonly past: readonly Measure[];
  readonly present: readonly Measure[];
}

type Rows = { readonly heading: readonly string[]; readonly rows: readonly (readonly string[])[] };

/** For the terminal. */
export const textOf = (report: Report): string => told(report, ({ heading, rows }) => table(heading, rows));

/** For the page. */
export const pageOf = (report: Report): string =>
  told(report, ({ heading, rows }) => markdownTable(heading, rows), '- ');

/** A table with a column for each peer; where it has no figure, it says so. */
export function columns(what: string, peers: readonly string[], measures: readonly Measure[]): Rows {
  const { heading, rows } = sideBySide(measures);
  const cells = rows.map(([name = '', ...values]) => [
    name,
    ...peers.map((peer) => {
      const value = values[heading.indexOf(peer) - 1] ?? '';
      return value === '' || value === 'NaN' ? '—' : value;
    }),
  ]);
  return { heading: [what, ...peers], rows: cells };
}

function told(report: Report, shown: (rows: Rows) => string, item = ''): string {
  const { points, targets, seconds, peers, versions, past, present } = report;
  const names = peers.map(({ name }) => name);
  const number = (value: number): string => value.toLocaleString('en');
  const cannot = peers.flatMap(({ name, cannot: why }) => (why === null ? [] : [`— of ${name}: ${why}.`]));
  return [
    `On ${new Date().toISOString().slice(0, 10)}, ${availableParallelism()} cores (${cpus()[0]?.model ?? 'unknown'}), ${Math.round(totalmem() / 2 ** 30)} GB:`,
    shown(columns(`${number(points)} points out of InfluxDB`, names, past)),
    ...cannot,
    shown(columns(`${number(targets)} targets at 1 s, ${seconds} s`, names, present)),
    peers.map(({ name, setup }) => `${item}${name}: ${setup}.`).join('\n'),
    `Versions: ${versions.join(', ')}.`,
  ].join('\n\n');
}
