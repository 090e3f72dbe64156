import { counted } from '../../core/counted.ts';
import { SECOND } from '../../core/instant.ts';
import { titleOf } from '../../core/source/source-name.ts';
import type { SourceConfig } from '../../core/source/source.ts';
import { checkSource } from '../../source/check.ts';
import type { Step } from '../../source/check.ts';
import { readSettings } from '../../settings.ts';
import { EXIT, printJson, printLine } from '../../terminal/output.ts';
import { roughly } from '../../terminal/words.ts';
import { interruptible } from './stop.ts';
import { localNow, platformOf, sourcesIn } from './source-files.ts';

/** `source check`. */
export async function sourceCheck(path: string, options: { json?: boolean }): Promise<void> {
  const json = options.json ?? false;
  const sources = await sourcesIn(path, json);
  if (sources === undefined) return;
  const documents: CheckDocument[] = [];
  await interruptible('nothing was saved', async (signal) => {
    for (const one of sources) documents.push(await checkOne(one, { heading: sources.length > 1, json, signal }));
  });
  if (json) printJson(documents);
  if (documents.some(({ ok }) => !ok)) process.exitCode = EXIT.failed;
}

interface CheckDocument {
  readonly source: string;
  readonly organisation: string;
  readonly ok: boolean;
  readonly requests: number;
  readonly tookSeconds: number;
  readonly steps: readonly Record<string, unknown>[];
}

async function checkOne(
  config: SourceConfig,
  { heading, json, signal }: { readonly heading: boolean; readonly json: boolean; readonly signal: AbortSignal },
): Promise<CheckDocument> {
  if (heading && !json) printLine(titleOf(config));
  const begun = performance.now();
  const steps: Step[] = [];
  const settings = readSettings(process.env);
  const checking = checkSource(config, await platformOf(config), {
    now: localNow,
    signal,
    maxReadings: settings.windowReadings,
    ...settings.egress,
  });
  let next = await checking.next();
  while (!next.done) {
    signal.throwIfAborted();
    steps.push(next.value);
    if (!json) printStep(next.value);
    next = await checking.next();
  }
  const { requests } = next.value;
  const tookSeconds = Math.round((performance.now() - begun) / 100) / 10;
  if (!json) {
    printLine(
      `${counted(requests, 'request')} in ${roughly(tookSeconds * SECOND)}, at most ${config.pace.requestsPerSecond} a second; nothing was saved`,
    );
  }
  return {
    source: config.name,
    organisation: config.organisation,
    ok: steps.every(({ ok }) => ok !== false),
    requests,
    tookSeconds,
    steps: steps.map(documentOf),
  };
}

const STEP_WIDTH = 10;

function printStep({ step, ok, detail, warning, error }: Step): void {
  const mark = ok === null ? '–' : ok ? (warning ? '!' : '✓') : '✗';
  printLine(`${mark} ${step.padEnd(STEP_WIDTH - 1)} ${detail}`);
  if (error?.remedy !== undefined) printLine(`${' '.repeat(STEP_WIDTH + 2)}try: ${error.remedy}`);
}

function documentOf({ step, ok, detail, warning, error }: Step): Record<string, unknown> {
  return {
    step,
    ok,
    detail,
    ...(warning ? { warning } : {}),
    ...(error === undefined ? {} : { fault: { ...error.fault, message: error.message, remedy: error.remedy ?? null } }),
  };
}
