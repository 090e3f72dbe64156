import { counted } from '../../core/counted.ts';
import { configInvalid } from '../../core/errors.ts';
import { formatInstant } from '../../core/instant.ts';
import { messageOf } from '../../core/refusal-remedies.ts';
import { titleOf } from '../../core/source/source-name.ts';
import type { SourceConfig } from '../../core/source/source.ts';
import { formatWindow } from '../../core/window.ts';
import { refusalsInWords } from '../../source/findings.ts';
import { newNamesInWords } from '../../source/near-series.ts';
import { previewSource } from '../../source/preview.ts';
import type { Preview } from '../../source/preview.ts';
import { othersInWords, ownerRemedy } from '../../source/take-over.ts';
import { previewDocument } from '../../source/trial-documents.ts';
import { readSettings } from '../../settings.ts';
import { EXIT, printJson, printLine, printTable } from '../../terminal/output.ts';
import { READING_FIELDS, readingCells } from '../../terminal/reading-rows.ts';
import { parseTime } from '../options.ts';
import { times, wrapped } from '../../terminal/words.ts';
import type { AtHand } from './bridge-at-hand.ts';
import { localNow } from './source-files.ts';
import { interruptible } from './stop.ts';
import { tryingSources, whyAlone } from './tried-sources.ts';
import type { Tried } from './tried-sources.ts';

interface PreviewOptions {
  readonly from: string;
  readonly to?: string;
  readonly limit: number;
  readonly organisation?: string;
  readonly inQuietHours?: boolean;
  readonly tryAgain?: boolean;
  readonly json?: boolean;
}

/** `source preview`. */
export async function sourcePreview(pathOrName: string, options: PreviewOptions): Promise<void> {
  const json = options.json ?? false;
  const documents: Record<string, unknown>[] = [];
  const given = { pathOrName, organisation: options.organisation, json };
  await interruptible('nothing was saved', (signal) =>
    tryingSources(given, readSettings(process.env), async (sources, atHand) => {
      for (const one of sources) {
        const preview = await previewOne(one, { ...options, atHand, signal });
        const why = preview.sharesPace ? undefined : whyAlone(atHand);
        if (json) documents.push({ ...previewDocument(one.config, preview), why: why ?? null });
        else print(one.config, preview, { heading: sources.length > 1, why });
      }
    }),
  );
  if (json && process.exitCode !== EXIT.usage) printJson(documents);
}

async function previewOne(
  { config, platform }: Tried,
  options: PreviewOptions & { readonly atHand: AtHand; readonly signal: AbortSignal },
): Promise<Preview> {
  const now = localNow();
  const from = parseTime(options.from, now, '--from');
  const to = options.to === undefined ? undefined : parseTime(options.to, now, '--to');
  if (from >= (to ?? now - config.schedule.settle)) {
    const remedy = `give a range that begins before it ends; without --to it ends ${formatInstant(now - config.schedule.settle)} (settle)`;
    throw configInvalid('--from is not before the end', remedy, '--from');
  }
  const settings = readSettings(process.env);
  return await previewSource(config, platform, {
    now: localNow,
    signal: options.signal,
    bridge: options.atHand.bridge,
    inQuietHours: options.inQuietHours,
    tryAgain: options.tryAgain,
    maxReadings: settings.windowReadings,
    ...settings.egress,
    range: { from, to },
    limit: options.limit,
  });
}

function print(
  config: SourceConfig,
  preview: Preview,
  { heading, why }: { readonly heading: boolean; readonly why: string | undefined },
): void {
  if (heading) printLine(`\n${titleOf(config)}`);
  if (preview.sample.length > 0) printTable(READING_FIELDS, preview.sample.map(readingCells));
  for (const [reason, count] of preview.refused) {
    printLine(`\n${reason}, ${times(count)}: ${messageOf(reason, 'operator')}`);
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
    `\n${[`${counted(preview.readings, 'reading')} of ${preview.series} series`, refusalsInWords(preview.refused), ...more].join(', ')}`,
  );
  for (const { stream, window, readings } of preview.windows)
    printLine(`  ${stream} ${formatWindow(window)}: ${readings}`);
  for (const { sensor, message } of preview.failed) printLine(`  cannot read ${sensor}: ${message}`);
  if (preview.missing !== null) printLine(`${preview.missing.message}\n  try: ${preview.missing.remedy}`);
  for (const { stream, message } of preview.unreadable) printLine(`  cannot read ${stream}: ${message}`);
  if (preview.left.length > 0) printLine(wrapped(`not looked at: ${preview.left.join(' ; ')}`, '  '));
  if (!preview.complete) printLine('  the range holds more: a preview reads only a few windows');
  for (const owned of preview.seriesOfOthers) {
    printLine(`${othersInWords(owned)}\n  try: ${ownerRemedy(config, owned)}`);
  }
  const names = newNamesInWords(preview.newNames);
  if (names !== undefined) printLine(wrapped(names));
  if (preview.overload !== null) printLine(`${preview.overload.message}\n  try: ${preview.overload.remedy}`);
  const turns = why === undefined ? 'taking turns with its workers' : `without taking turns with workers: ${why}`;
  printLine(`${counted(preview.requests, 'request')}, ${turns}; nothing was saved`);
}
