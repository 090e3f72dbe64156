import { counted } from '../../core/counted.ts';
import { formatDuration, parseDuration } from '../../core/duration.ts';
import { configInvalid } from '../../core/errors.ts';
import { SECOND, instantOrNull } from '../../core/instant.ts';
import type { Instant, Microseconds } from '../../core/instant.ts';
import { titleOf } from '../../core/source/source-name.ts';
import { withContext } from '../../context.ts';
import { findSource } from '../../source/find-source.ts';
import { isSilent, newestDocument, newestReadings, silentSensors } from '../../source/newest.ts';
import type { NewestReading } from '../../source/newest.ts';
import { printJson, printLine, printTable } from '../../terminal/output.ts';
import { grouped, roughly } from '../../terminal/words.ts';

interface NewestOptions {
  readonly silent?: string;
  readonly limit: number;
  readonly organisation?: string;
  readonly json?: boolean;
}

/** `source newest`. */
export async function sourceNewest(name: string | undefined, options: NewestOptions): Promise<void> {
  const silent = options.silent === undefined ? undefined : parseDuration(options.silent);
  if (options.silent !== undefined && silent === undefined) {
    const given = JSON.stringify(options.silent);
    throw configInvalid(`--silent ${given} is not a length of time`, 'write it like 1d, 12h or 30m', '--silent');
  }
  if (name !== undefined) {
    await ofSource(name, silent, options);
    return;
  }
  if (silent === undefined)
    throw configInvalid('neither a source nor --silent is given', 'databridge source newest --silent 1h', '--silent');
  await ofAll(silent, options);
}

async function ofAll(length: Microseconds, { limit, json }: NewestOptions): Promise<void> {
  const { sensors, count, sources, now } = await withContext(async ({ database, clock }) => ({
    ...(await silentSensors(database, { length, limit })),
    now: clock.now(),
  }));
  if (json) {
    printJson(
      sensors.map(({ newestAt, ...sensor }) => ({
        ...sensor,
        newestAt: instantOrNull(newestAt),
        ageSeconds: newestAt === null ? null : (now - newestAt) / SECOND,
      })),
    );
    return;
  }
  if (sensors.length > 0) {
    printTable(
      ['source', 'sensor', 'newest reading', 'age'],
      sensors.map(({ sensor, newestAt, ...source }) => [titleOf(source), sensor, ...newestCells(newestAt, now)]),
    );
    printLine();
  }
  const rest = count === sensors.length ? '' : `, ${grouped(count - sensors.length)} not shown (--limit)`;
  printLine(`${counted(count, 'sensor')} of ${counted(sources, 'source')} silent for ${formatDuration(length)}${rest}`);
}

const newestCells = (newestAt: Instant | null, now: Instant): [newest: string, age: string | null] => [
  instantOrNull(newestAt) ?? 'never',
  newestAt === null ? null : roughly(now - newestAt),
];

const silentInWords = ({
  silent,
  refused,
  doubt,
  muted,
}: Pick<NewestReading, 'silent' | 'refused' | 'doubt' | 'muted'>): string => {
  if (silent && muted !== null) return `muted: ${muted.reason}`;
  if (silent) return refused === null ? 'yes' : `refused: ${refused}`;
  return doubt === null || doubt.isAnswered ? 'no' : 'asked again';
};

async function ofSource(name: string, silent: Microseconds | undefined, options: NewestOptions): Promise<void> {
  const { all, now } = await withContext(async ({ database, clock }) => ({
    all: await newestReadings(database, await findSource(database, { name, organisation: options.organisation })),
    now: clock.now(),
  }));
  const chosen = silent === undefined ? all : all.filter((sensor) => isSilent(sensor, now, silent));
  const shown = chosen.slice(0, options.limit);
  if (options.json) {
    printJson(shown.map((sensor) => newestDocument(sensor, now)));
    return;
  }
  if (shown.length > 0) {
    printTable(
      ['sensor', 'newest reading', 'age', 'longest gap', 'silent', 'series'],
      shown.map(({ sensor, newestAt, longestGap, series, ...one }) => [
        sensor,
        ...newestCells(newestAt, now),
        longestGap === null ? null : roughly(longestGap),
        silentInWords(one),
        series,
      ]),
    );
    printLine();
  }
  const never = all.filter(({ newestAt }) => newestAt === null).length;
  const byRhythm = all.filter((one) => one.silent).length;
  const words = [
    counted(all.length, 'sensor'),
    ...(byRhythm === 0 ? [] : [`${grouped(byRhythm)} silent by their own rhythm`]),
    ...(never === 0 ? [] : [`${grouped(never)} without any reading`]),
    ...(silent === undefined ? [] : [`${grouped(chosen.length)} silent for ${formatDuration(silent)}`]),
    ...(shown.length === chosen.length ? [] : [`${grouped(chosen.length - shown.length)} not shown (--limit)`]),
  ];
  printLine(words.join(', '));
}
