import { DAY, HOUR, MILLISECOND, MICROSECOND, MINUTE, SECOND } from './instant.ts';
import type { Microseconds } from './instant.ts';

/** The units from longest to shortest, the order a text must keep. There is no `mo` or `y`, because months differ in length. */
const UNITS: readonly (readonly [unit: string, length: Microseconds])[] = [
  ['w', 7 * DAY],
  ['d', DAY],
  ['h', HOUR],
  ['m', MINUTE],
  ['s', SECOND],
  ['ms', MILLISECOND],
  ['us', MICROSECOND],
];

const amount = String.raw`(\d{1,15}(?:\.\d{1,15})?)`;
const SHORT = new RegExp(`^${UNITS.map(([unit]) => String.raw`(?:${amount}${unit}\s*)?`).join('')}$`);
const ISO = new RegExp(`^P(?:${amount}W)?(?:${amount}D)?(?:T(?:${amount}H)?(?:${amount}M)?(?:${amount}S)?)?$`);

/**
 * `10s`, `1m30s`, `7d`, `500ms`, `1.5h` or ISO 8601 (`PT1H30M`, `P7D`) → µs. Undefined for anything else: no unit, a
 * sign, units out of order, months or years, a fraction of a µs, more µs than a number holds exactly.
 */
export function parseDuration(text: string): Microseconds | undefined {
  const amounts = (SHORT.exec(text) ?? ISO.exec(text))?.slice(1);
  if (amounts === undefined || amounts.every((each) => each === undefined)) return undefined;
  if (text.endsWith('T') || /\s$/.test(text)) return undefined;
  let sum = 0;
  for (const [index, [, length]] of UNITS.entries()) {
    const part = exactly(amounts[index] ?? '0', length);
    if (part === undefined) return undefined;
    sum += part;
  }
  return Number.isSafeInteger(sum) ? sum : undefined;
}

/** A decimal number of units as whole µs, undefined where it is not whole. BigInt: as a double, 1.1 h is not whole. */
function exactly(decimal: string, unit: Microseconds): Microseconds | undefined {
  const [whole = '0', fraction = ''] = decimal.split('.');
  const scale = 10n ** BigInt(fraction.length);
  const scaled = BigInt(whole + fraction) * BigInt(unit);
  return scaled % scale === 0n ? Number(scaled / scale) : undefined;
}

/**
 * µs → the shortest text of whole units that `parseDuration` reads back: `1h30m`, `500ms`, `0s`; no weeks, but days.
 */
export function formatDuration(duration: Microseconds): string {
  if (duration === 0) return '0s';
  let rest = Math.abs(duration);
  let text = duration < 0 ? '-' : '';
  for (const [unit, length] of UNITS.slice(1)) {
    const count = Math.floor(rest / length);
    if (count > 0) text += `${count}${unit}`;
    rest -= count * length;
  }
  return text;
}
