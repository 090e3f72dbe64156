import { InvalidArgumentError } from 'commander';
import type { Command } from 'commander';
import { configInvalid } from '../core/errors.ts';
import { formatInstant } from '../core/instant.ts';
import { REFUSALS } from '../core/reading.ts';
import type { SourceConfig } from '../core/source/source.ts';
import { formatWindow } from '../core/window.ts';
import { refusalsInWords } from '../source/findings.ts';
import { previewSource } from '../source/preview.ts';
import type { Preview } from '../source/preview.ts';
import { readSettings } from '../settings.ts';
import { printJson, printLine, table } from '../terminal/output.ts';
import { READING_FIELDS, readingCells, readingDocument } from '../terminal/reading-rows.ts';
import { registry } from '../context.ts';
import { reportProblems } from './source-apply.ts';
import { readConfigs } from '../source/configs.ts';
import { localNow, platformOf } from './source-check.ts';
import { parseTime } from '../terminal/time.ts';
import { times } from '../terminal/words.ts';

interface PreviewOptions {
  readonly from: string;
  readonly to?: string;
  readonly limit: number;
  readonly json?: boolean;
}

export function addSourcePreview(source: Command): void {
  source
    .command('preview <path>')
    .description('show readings as they would be stored; saves nothing, needs no database; - reads stdin')
    .option('--from <time>', 'begin: 2026-11-01T00:00:00Z, or 1h for an hour ago', '10m')
    .option('--to <time>', 'end, not included; default: what has settled by now')
    .option('--limit <number>', 'readings shown, spread over all series', wholeNumber, 20)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  $ databridge source preview hall-3.yaml\n  $ databridge source preview hall-3.yaml --from 2026-11-01 --to 2026-11-02 --limit 100\n\nIt reads a few windows at most and keeps the pace of the source.',
    )
    .action(async (path: string, options: PreviewOptions) => {
      const { sources, problems } = await readConfigs(path, registry, localNow());
      if (problems.length > 0) {
        reportProblems(problems, options.json ?? false);
        return;
      }
      const documents: Record<string, unknown>[] = [];
      for (const one of sources) {
        const preview = await look(one, options);
        if (options.json) documents.push(documentOf(one.name, preview));
        else print(one, preview, sources.length > 1);
      }
      if (options.json) printJson(documents);
    });
}

/** For `--limit` and its like. */
export function wholeNumber(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It is a whole number, 1 or more.');
}

async function look(config: SourceConfig, options: PreviewOptions): Promise<Preview> {
  const now = localNow();
  const from = parseTime(options.from, now, '--from');
  const to = options.to === undefined ? undefined : parseTime(options.to, now, '--to');
  if (from >= (to ?? now - config.schedule.settle)) {
    const remedy = `give a range that begins before it ends; without --to it ends ${formatInstant(now - config.schedule.settle)} (settle)`;
    throw configInvalid('--from is not before the end', remedy, '--from');
  }
  return await previewSource(config, platformOf(config), {
    now: localNow,
    signal: new AbortController().signal,
    maxReadings: readSettings(process.env).windowReadings,
    range: { from, to },
    limit: options.limit,
  });
}

function print(config: SourceConfig, preview: Preview, heading: boolean): void {
  if (heading) printLine(`\n${config.name}`);
  if (preview.sample.length > 0) printLine(table(READING_FIELDS, preview.sample.map(readingCells)));
  for (const [reason, count] of preview.refused) {
    printLine(`\n${reason}, ${times(count)}: ${REFUSALS[reason]}`);
    for (const { sensor, variable, at, raw } of preview.examples.filter((example) => example.reason === reason)) {
      printLine(`  ${sensor} ${variable} ${at === undefined ? '' : formatInstant(at)} ${raw}`);
    }
  }
  const more = [
    ...(preview.repeats > 0 ? [`${preview.repeats} repeated`] : []),
    ...(preview.outside > 0 ? [`${preview.outside} outside of what was asked`] : []),
  ];
  printLine(
    `\n${[`${preview.readings} readings of ${preview.series} series`, refusalsInWords(preview.refused), ...more].join(', ')}`,
  );
  for (const { stream, window, readings } of preview.windows)
    printLine(`  ${stream} ${formatWindow(window)}: ${readings}`);
  if (!preview.complete) printLine('  there is more in this range: a preview stops early');
  printLine(`${preview.requests} requests; nothing was saved`);
}

const documentOf = (source: string, preview: Preview): Record<string, unknown> => ({
  source,
  ...preview,
  windows: preview.windows.map(({ stream, window, readings }) => ({
    stream,
    from: formatInstant(window.from),
    to: formatInstant(window.to),
    readings,
  })),
  refused: Object.fromEntries(preview.refused),
  examples: preview.examples.map((example) => ({
    ...example,
    at: example.at === undefined ? null : formatInstant(example.at),
  })),
  sample: preview.sample.map(readingDocument),
});
