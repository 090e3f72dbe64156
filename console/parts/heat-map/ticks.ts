/** The times that stand on an axis. */
import { clockOf, dayOf, fieldOf } from '../../client/zone.ts';

/** The room that a text takes at least, pixels. */
const ROOM = 74;

const HOUR_MS = 3_600_000;

/** Ticks at whole days of the zone where bins are long or many, at hours where they are short. */
export function ticksOf(edges: readonly number[], width: number): { column: number; text: string }[] {
  const columns = edges.length - 1;
  const most = Math.max(1, Math.floor(width / ROOM));
  const whole = (edges.at(-1) ?? 0) - (edges[0] ?? 0);
  const isLong = whole > 3 * 24 * HOUR_MS;
  const found: { column: number; text: string; at: number }[] = [];
  for (let column = 0; column < columns; column += 1) {
    const at = edges[column] ?? 0;
    const before = edges[column - 1];
    const [date, clock] = fieldOf(at).split(' ');
    const isDay = before !== undefined && fieldOf(before).split(' ')[0] !== date;
    if (isDay) found.push({ column, text: dayOf(at), at });
    else if (!isLong && clock?.slice(3, 5) === '00') found.push({ column, text: clockOf(at), at });
  }
  const every = Math.ceil(found.length / most);
  return found.filter((_, at) => at % Math.max(1, every) === 0);
}
