import { formatDuration } from '../core/duration.ts';
import { SECOND, formatInstant } from '../core/instant.ts';
import type { Microseconds } from '../core/instant.ts';
import { argumentsOf } from '../core/source/source-name.ts';
import type { NewestReading } from './newest.ts';
import type { SourceReport } from './report.ts';

interface SilenceCause {
  readonly cause: 'silent';
  readonly length: null;
  readonly message: string;
  readonly remedy: string;
}

/** The sensors that a cause names. */
const SENSORS_NAMED = 3;

/**
 * Causes of sensors that are silent: their points are refused, they never gave a reading, or none for too long. Of `doubted` ones the
 * platform is asked once more first.
 */
export function silences(
  { name, organisation, streamReports }: SourceReport,
  { silent, doubted }: { readonly silent: readonly NewestReading[]; readonly doubted: readonly NewestReading[] },
): SilenceCause[] {
  const end = Math.max(...streamReports.map(({ covered }) => covered.at(-1)?.[1] ?? 0));
  const refused = silent.filter((one) => one.refused !== null);
  const never = silent.filter((one) => one.refused === null && one.newestAt === null);
  const quiet = silent.filter((one) => one.refused === null && one.newestAt !== null);
  const command = `databridge source newest ${argumentsOf({ name, organisation })}`;
  const cause = (
    sensors: readonly NewestReading[],
    message: (first: NewestReading) => string,
    remedy: string,
  ): SilenceCause[] => {
    const [first] = sensors;
    if (first === undefined) return [];
    const rest = sensors.length <= SENSORS_NAMED ? '' : ` and ${sensors.length - SENSORS_NAMED} more`;
    const names = sensors.slice(0, SENSORS_NAMED).map(({ sensor }) => sensor);
    return [{ cause: 'silent', length: null, message: `${names.join(', ')}${rest} ${message(first)}`, remedy }];
  };
  const has = (sensors: readonly NewestReading[]): string => (sensors.length === 1 ? 'has' : 'have');
  return [
    ...cause(
      refused,
      ({ refused: reason }) => `${has(refused)} no reading, because points are refused: ${reason}`,
      `databridge source refusals ${argumentsOf({ name, organisation })} shows the points`,
    ),
    ...cause(
      never,
      ({ askedFrom }) =>
        `${has(never)} never given a reading, though all time from ${formatInstant(askedFrom ?? end)} to ${formatInstant(end)} was asked${askedAgain(never)}`,
      `look at the sensor on the platform, and whether its data come later than schedule.settle; a sensor that gives nothing can be left out of the source; ${command} shows all`,
    ),
    ...cause(
      quiet,
      ({ newestAt, longestGap }) =>
        `${has(quiet)} no new reading since ${formatInstant(newestAt ?? end)}${longestGap === null ? '' : `; the longest gap before was ${formatDuration(roundedTo(SECOND, longestGap))}`}${askedAgain(quiet)}`,
      `look at the sensor on the platform; ${command} shows all`,
    ),
    ...cause(
      doubted,
      ({ doubt }) =>
        `should have given readings by ${doubted.length === 1 ? 'its' : 'their'} own rhythm and did not, so the time from ${formatInstant(doubt?.from ?? end)} to ${formatInstant(doubt?.to ?? end)} is asked for once more`,
      `nothing to do: what comes is stored, and a sensor without new readings counts as silent then; ${command} shows all`,
    ),
  ];
}

/** Whether the platform answered twice for a part of their silence. */
const askedAgain = (sensors: readonly NewestReading[]): string =>
  sensors.every(({ doubt }) => doubt?.isAnswered === true) ? '; a part of that time was asked for twice' : '';

const roundedTo = (unit: Microseconds, length: Microseconds): Microseconds =>
  Math.max(unit, Math.round(length / unit) * unit);
