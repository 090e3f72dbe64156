import type { Command } from 'commander';
import { configInvalid } from '../core/errors.ts';
import { formatInstant } from '../core/instant.ts';
import { REFUSALS } from '../core/reading.ts';
import { titleOf } from '../core/source/source-name.ts';
import type { SourceConfig } from '../core/source/source.ts';
import { formatWindow } from '../core/window.ts';
import { refusalsInWords } from '../source/findings.ts';
import { previewSource } from '../source/preview.ts';
import type { Preview } from '../source/preview.ts';
import { readSettings } from '../settings.ts';
import { printJson, printLine, table } from '../terminal/output.ts';
import { READING_FIELDS, readingCells, readingDocument } from '../terminal/reading-rows.ts';
import { helpBelow } from './help.ts';
import { parseTime, wholeNumber } from './options.ts';
import { SOURCE_PATH, localNow, platformOf, sourcesIn } from './source-files.ts';
import { times } from '../terminal/words.ts';

interface PreviewOptions {
  readonly from: string;
  readonly to?: string;
  readonly limit: number;
  readonly json?: boolean;
}

export function addSourcePreview(source: Command): void {
  source
    .command('preview')
    .argument(...SOURCE_PATH)
    .description('show readings and refusals as they would be stored; saves nothing and needs no database')
    .option('--from <time>', 'begin: 2026-11-01T00:00:00Z, 2026-11-01, or 1h for an hour ago', '10m')
    .option('--to <time>', 'end, not included; default: the newest settled time')
    .option('--limit <number>', 'readings shown, spread evenly over all series', wholeNumber, 20)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      helpBelow({
        examples: [
          'databridge source preview hall-3.yaml',
          'databridge source preview hall-3.yaml --from 2026-11-01 --to 2026-11-02 \\\n--limit 100',
        ],
        notes: ['A preview reads only a few windows, and never faster than the pace of the source.'],
        exitCodes: '0 done, 1 the platform could not be read, 2 wrong usage or a wrong file',
      }),
    )
    .action(async (path: string, options: PreviewOptions) => {
      const sources = await sourcesIn(path, options.json ?? false);
      if (sources === undefined) return;
      const documents: Record<string, unknown>[] = [];
      for (const one of sources) {
        const preview = await previewOne(one, options);
        if (options.json) documents.push(documentOf(one, preview));
        else print(one, preview, sources.length > 1);
      }
      if (options.json) printJson(documents);
    });
}

async function previewOne(config: SourceConfig, options: PreviewOptions): Promise<Preview> {
  const now = localNow();
  const from = parseTime(options.from, now, '--from');
  const to = options.to === undefined ? undefined : parseTime(options.to, now, '--to');
  if (from >= (to ?? now - config.schedule.settle)) {
    const remedy = `give a range that begins before it ends; without --to it ends ${formatInstant(now - config.schedule.settle)} (settle)`;
    throw configInvalid('--from is not before the end', remedy, '--from');
  }
  const settings = readSettings(process.env);
  return await previewSource(config, platformOf(config), {
    now: localNow,
    signal: new AbortController().signal,
    maxReadings: settings.windowReadings,
    allowHosts: settings.egressHosts,
    range: { from, to },
    limit: options.limit,
  });
}

function print(config: SourceConfig, preview: Preview, heading: boolean): void {
  if (heading) printLine(`\n${titleOf(config)}`);
  if (preview.sample.length > 0) printLine(table(READING_FIELDS, preview.sample.map(readingCells)));
  for (const [reason, count] of preview.refused) {
    printLine(`\n${reason}, ${times(count)}: ${REFUSALS[reason]}`);
    for (const { sensor, variable, at, raw } of preview.examples.filter((example) => example.reason === reason)) {
      printLine(`  ${sensor} ${variable} ${at === undefined ? '' : formatInstant(at)} ${raw}`);
    }
  }
  const more = [
    ...(preview.repeats > 0 ? [`${preview.repeats} sent more than once`] : []),
    ...(preview.outside > 0 ? [`${preview.outside} outside of their window`] : []),
    ...(preview.unchosen > 0 ? [`${preview.unchosen} of sensors that are not chosen`] : []),
  ];
  printLine(
    `\n${[`${preview.readings} readings of ${preview.series} series`, refusalsInWords(preview.refused), ...more].join(', ')}`,
  );
  for (const { stream, window, readings } of preview.windows)
    printLine(`  ${stream} ${formatWindow(window)}: ${readings}`);
  for (const { sensor, message } of preview.failed) printLine(`  cannot read ${sensor}: ${message}`);
  if (!preview.complete) printLine('  the range holds more: a preview reads only a few windows');
  if (preview.overload !== null) printLine(`${preview.overload.message}\n  try: ${preview.overload.remedy}`);
  printLine(`${preview.requests} requests; nothing was saved`);
}

const documentOf = ({ name, organisation }: SourceConfig, preview: Preview): Record<string, unknown> => ({
  source: name,
  organisation,
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
