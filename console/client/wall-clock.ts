/** The clock on the wall of a zone, also in the hours that it shows twice. Instants are ms since 1970. */

const MINUTE_MS = 60_000;
/** No zone changes its clocks inside of such a block. */
const BLOCK_MS = 15 * MINUTE_MS;
const DAY_MS = 86_400_000;
const MOST_KEPT = 20_000;

const formats = new Map<string, Intl.DateTimeFormat>();
const offsets = new Map<string, number>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const known =
    formats.get(zone) ??
    new Intl.DateTimeFormat('en-GB-u-ca-gregory-nu-latn', {
      timeZone: zone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    });
  formats.set(zone, known);
  return known;
}

/** How much the clock on the wall is ahead of UTC at an instant, ms. Asking the browser is slow, so it is kept. */
function offsetAt(zone: string, at: number): number {
  const block = Math.floor(at / BLOCK_MS) * BLOCK_MS;
  const key = `${zone} ${block}`;
  const known = offsets.get(key);
  if (known !== undefined) return known;
  const parts = formatOf(zone).formatToParts(new Date(block));
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0] = ['year', 'month', 'day', 'hour', 'minute'].map((type) =>
    Number(parts.find((one) => one.type === type)?.value),
  );
  const offset = Date.UTC(year, month - 1, day, hour, minute) - block;
  if (offsets.size >= MOST_KEPT) offsets.clear();
  offsets.set(key, offset);
  return offset;
}

/** The instants at which a clock shows what it would show `offset` ahead of UTC: none, one, or two when it is put back. */
const instantsOf = (zone: string, wall: number): number[] =>
  [...new Set([offsetAt(zone, wall - DAY_MS), offsetAt(zone, wall + DAY_MS)])]
    .filter((offset) => offsetAt(zone, wall - offset) === offset)
    .map((offset) => wall - offset)
    .toSorted((one, other) => one - other);

/** `+02`, or `+05:30`, where the clock shows the time of this instant twice; else nothing. */
export function doubledOffset(zone: string, at: number): string {
  const offset = offsetAt(zone, at);
  if (instantsOf(zone, at + offset).length < 2) return '';
  const [hours, minutes] = [Math.floor(Math.abs(offset) / 3_600_000), (Math.abs(offset) / MINUTE_MS) % 60];
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${offset < 0 ? '-' : '+'}${two(hours)}${minutes === 0 ? '' : `:${two(minutes)}`}`;
}

/** `2026-11-22 10:00`, or `2026-10-25 02:30+02` in an hour that comes twice. Seconds are left out. */
export const wallText = (zone: string, at: number): string =>
  new Date(at + offsetAt(zone, at)).toISOString().slice(0, 16).replace('T', ' ') + doubledOffset(zone, at);

/**
 * The instant of such a text; undefined where it is none. Of two the earlier one where no offset is written, and one that the clock leaves
 * out is as long after the change as it seems to be.
 */
export function instantOfWallText(zone: string, text: string): number | undefined {
  const found = /^\s*(\d{4})-(\d\d)-(\d\d)(?:[ T](\d\d):(\d\d)(?:([+-])(\d\d)(?::?(\d\d))?)?)?\s*$/.exec(text);
  if (found === null) return undefined;
  const [, year, month, day, hour = 0, minute = 0, sign, hours, minutes = 0] = found;
  const wall = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute));
  if (new Date(wall).getUTCDate() !== Number(day) || Number(hour) > 23 || Number(minute) > 59) return undefined;
  const instants = instantsOf(zone, wall);
  if (hours === undefined) return instants[0] ?? wall - offsetAt(zone, wall - DAY_MS);
  const written = wall - Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes)) * MINUTE_MS;
  return instants.includes(written) ? written : undefined;
}
