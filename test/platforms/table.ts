import { table } from '../../src/terminal/output.ts';
import { grouped, wrapped } from '../../src/terminal/words.ts';
import type { Row } from './row.ts';

/** A row that lost or doubled a point, was spared a trouble or came to no end. */
export const isBad = ({ lost, doubled, faults, notes }: Row): boolean =>
  lost > 0 || doubled > 0 || faults.met < faults.tried || notes.length > 0;

/** The table, the notes of its bad rows and a line that sums it up. */
export function shown(rows: readonly Row[]): string {
  const cells = rows.map(({ platform, kind, points, requests, faults, lost, doubled }) => [
    platform,
    kind,
    points,
    requests,
    `${faults.met}/${faults.tried}`,
    lost,
    doubled,
  ]);
  const notes = rows.flatMap(({ platform, kind, notes }) =>
    notes.map((note) => wrapped(`${platform}, ${kind}: ${note}`, '  ')),
  );
  return [
    table(['platform', 'kind', 'points', 'requests', 'faults', 'lost', 'doubled'], cells),
    ...(notes.length > 0 ? ['', ...notes] : []),
    '',
    summary(rows),
  ].join('\n');
}

function summary(rows: readonly Row[]): string {
  const sum = (of: (row: Row) => number): number => rows.reduce((total, row) => total + of(row), 0);
  const bad = rows.filter(isBad).length;
  const counted = `${grouped(sum(({ points }) => points))} points, ${sum(({ faults }) => faults.met)} faults met`;
  const verdict = bad === 0 ? 'nothing lost, nothing doubled' : `${bad} of ${rows.length} rows are not exact`;
  return `${rows.length} ${rows.length === 1 ? 'row' : 'rows'}: ${counted}; ${verdict}.`;
}
