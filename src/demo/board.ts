import { SECOND } from '../core/instant.ts';
import type { Instant } from '../core/instant.ts';
import type { Paint } from '../terminal/screen.ts';
import { grouped, shortly } from '../terminal/words.ts';
import type { BoardRow, BoardTrouble } from './observe.ts';

/** Name and width of each column; numbers stand to the right. The last one takes what is left. */
const COLUMNS = [
  { title: 'source', width: 13, right: false },
  { title: 'lag', width: 5, right: true },
  { title: 'readings', width: 9, right: true },
  { title: 'history', width: 11, right: false },
  { title: 'requests', width: 8, right: true },
  { title: 'last sec', width: 8, right: true },
] as const;

const GAP = '  ';
const LAST = 'last error';

/** The heading of the board, cut to `width` characters; 100 are enough for all of it. */
export function boardHeading(width: number, paint: Paint): string {
  const cells = [...COLUMNS.map(({ title }) => title), LAST];
  return paint('dim', lineOf(cells, width));
}

/** A source as one line of the board, cut as its heading. */
export function boardLine(row: BoardRow, given: { width: number; now: Instant; paint: Paint }): string {
  const { width, now, paint } = given;
  const cells = [
    row.source,
    row.lag === null ? '–' : shortly(row.lag),
    grouped(row.readings),
    progress(row.history),
    grouped(row.requests),
    `${row.lastSecond} of ${row.allowedInOneSecond}`,
  ];
  const known = lineOf(cells, width);
  const left = width - known.length - GAP.length;
  if (left < LAST.length) return known;
  if (row.state !== 'active')
    return `${known}${GAP}${paint('red', cut(`${row.state}: ${phraseOf(row.trouble)}`, left))}`;
  if (row.trouble === undefined) return `${known}${GAP}${paint('dim', '–')}`;
  const waits = row.trouble.until !== null && row.trouble.until > now;
  const distance = waits ? (row.trouble.until ?? now) - now : now - row.trouble.at;
  const roughly = shortly(Math.max(SECOND, Math.round(distance / SECOND) * SECOND));
  const when = waits ? `waits ${roughly}` : `${roughly} ago`;
  return `${known}${GAP}${paint(waits ? 'yellow' : 'dim', cut(`${phraseOf(row.trouble)}, ${when}`, left))}`;
}

function lineOf(cells: readonly string[], width: number): string {
  const padded = cells.map((cell, index) => {
    const column = COLUMNS[index];
    if (column === undefined) return cell;
    return column.right ? cell.padStart(column.width) : cell.padEnd(column.width);
  });
  return padded.join(GAP).slice(0, width);
}

/** What a platform said, without the address: `503 Service Unavailable`. */
function phraseOf(trouble: BoardTrouble | undefined): string {
  const message = trouble?.message ?? '';
  return /\b[45]\d\d(?: [A-Z][a-z]+)+/.exec(message)?.[0] ?? message;
}

const cut = (text: string, width: number): string => (text.length <= width ? text : `${text.slice(0, width - 1)}…`);

const CELLS = 6;

/** `███░░░  63%`; full only where nothing is missing. */
function progress(share: number): string {
  const full = Math.floor(share * CELLS);
  return `${'█'.repeat(full)}${'░'.repeat(CELLS - full)} ${String(Math.floor(share * 100)).padStart(3)}%`;
}
