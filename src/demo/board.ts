import { SECOND } from '../core/instant.ts';
import type { Instant } from '../core/instant.ts';
import type { Paint } from '../terminal/screen.ts';
import { grouped, roughly } from '../terminal/words.ts';
import type { BoardRow, BoardTrouble } from './observe.ts';

/** Title and width of each column but the last, which takes the rest of the line. Numbers stand to the right. */
const COLUMNS = [
  { title: 'source', width: 14, right: false },
  { title: 'lag', width: 5, right: true },
  { title: 'readings', width: 9, right: true },
  { title: 'history', width: 11, right: false },
  { title: 'asked', width: 7, right: true },
  { title: 'last sec', width: 8, right: true },
] as const;

const GAP = '  ';
const TROUBLE_TITLE = 'last error';

/** The heading of the board, cut to `width` characters; 100 are enough for the whole. */
export function boardHeading(width: number, paint: Paint): string {
  const cells = [...COLUMNS.map(({ title }) => title), TROUBLE_TITLE];
  return paint('dim', lineOf(cells, width));
}

/** A source as a line of the board, cut to `width` characters. */
export function boardLine(row: BoardRow, given: { width: number; now: Instant; paint: Paint }): string {
  const { width, now, paint } = given;
  const cells = [
    cut(row.source, COLUMNS[0].width),
    row.lag === null ? '–' : roughly(row.lag),
    grouped(row.readings),
    progress(row.history),
    grouped(row.requests),
    `${row.lastSecond} of ${row.allowedInOneSecond}`,
  ];
  const line = lineOf(cells, width);
  const left = width - line.length - GAP.length;
  if (left < TROUBLE_TITLE.length) return line;
  if (row.state !== 'active')
    return `${line}${GAP}${paint('red', cut(`${row.state}: ${phraseOf(row.trouble)}`, left))}`;
  if (row.trouble === undefined) return `${line}${GAP}${paint('dim', '–')}`;
  const waits = row.trouble.until !== null && row.trouble.until > now;
  const distance = waits ? (row.trouble.until ?? now) - now : now - row.trouble.at;
  const shown = roughly(Math.max(SECOND, Math.round(distance / SECOND) * SECOND));
  const when = waits ? `waits ${shown}` : `${shown} ago`;
  return `${line}${GAP}${paint(waits ? 'yellow' : 'dim', cut(`${phraseOf(row.trouble)}, ${when}`, left))}`;
}

function lineOf(cells: readonly string[], width: number): string {
  const padded = cells.map((cell, index) => {
    const column = COLUMNS[index];
    if (column === undefined) return cell;
    return column.right ? cell.padStart(column.width) : cell.padEnd(column.width);
  });
  return padded.join(GAP).slice(0, width);
}

/** Status and reason out of a message: `503 Service Unavailable`; the message if it has none. */
function phraseOf(trouble: BoardTrouble | undefined): string {
  const message = trouble?.message ?? '';
  return /\b[45]\d\d(?: [A-Z][a-z]+)+/.exec(message)?.[0] ?? message;
}

const cut = (text: string, width: number): string => (text.length <= width ? text : `${text.slice(0, width - 1)}…`);

const CELLS = 6;

/** `███░░░  63%`; full only if nothing is missing. */
function progress(share: number): string {
  const full = Math.floor(share * CELLS);
  return `${'█'.repeat(full)}${'░'.repeat(CELLS - full)} ${String(Math.floor(share * 100)).padStart(3)}%`;
}
