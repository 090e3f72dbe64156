import { counted } from '../../core/counted.ts';
import { formatDuration, parseDuration } from '../../core/duration.ts';
import { configInvalid } from '../../core/errors.ts';
import { instantOrNull } from '../../core/instant.ts';
import { withContext } from '../../context.ts';
import { findSource } from '../../source/find-source.ts';
import { isSilent, newestDocument, newestReadings } from '../../source/newest.ts';
import { printJson, printLine, printTable } from '../../terminal/output.ts';
import { grouped, roughly } from '../../terminal/words.ts';

interface NewestOptions {
  readonly silent?: string;
  readonly limit: number;
  readonly organisation?: string;
  readonly json?: boolean;
}

/** `source newest`. */
export async function sourceNewest(name: string, options: NewestOptions): Promise<void> {
  const silent = options.silent === undefined ? undefined : parseDuration(options.silent);
  if (options.silent !== undefined && silent === undefined) {
    const given = JSON.stringify(options.silent);
    throw configInvalid(`--silent ${given} is not a length of time`, 'write it like 1d, 12h or 30m', '--silent');
  }
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
      ['sensor', 'newest reading', 'age', 'series'],
      shown.map(({ sensor, newestAt, series }) => [
        sensor,
        instantOrNull(newestAt) ?? 'never',
        newestAt === null ? null : roughly(now - newestAt),
        series,
      ]),
    );
    printLine();
  }
  const never = all.filter(({ newestAt }) => newestAt === null).length;
  const words = [
    counted(all.length, 'sensor'),
    ...(never === 0 ? [] : [`${grouped(never)} without any reading`]),
    ...(silent === undefined ? [] : [`${grouped(chosen.length)} silent for ${formatDuration(silent)}`]),
    ...(shown.length === chosen.length ? [] : [`${grouped(chosen.length - shown.length)} not shown (--limit)`]),
  ];
  printLine(words.join(', '));
}
