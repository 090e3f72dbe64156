import type { Command } from 'commander';
import { formatDuration } from '../core/duration.ts';
import type { Instant } from '../core/instant.ts';
import { SECOND } from '../core/instant.ts';
import type { SourceConfig } from '../core/source/source.ts';
import type { Platform } from '../platform/contract.ts';
import { checkSource } from '../source/check.ts';
import type { Step } from '../source/check.ts';
import { readSettings } from '../settings.ts';
import { registry } from '../context.ts';
import { EXIT, printJson, printLine } from '../terminal/output.ts';
import { reportProblems } from './source-apply.ts';
import { readConfigs } from '../source/configs.ts';

export function addSourceCheck(source: Command): void {
  source
    .command('check <path>')
    .description(
      'try sources from a YAML file or a directory step by step; saves nothing, needs no database; - reads stdin',
    )
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  $ databridge source check hall-3.yaml\n  $ databridge source check sources/ --json\n\nIt keeps the pace of the source. Exit code 0: all steps passed, 1: one failed, 2: the file itself is wrong.',
    )
    .action(async (path: string, options: { json?: boolean }) => {
      const json = options.json ?? false;
      const { sources, problems } = await readConfigs(path, registry, localNow());
      if (problems.length > 0) {
        reportProblems(problems, json);
        return;
      }
      const documents: CheckDocument[] = [];
      for (const one of sources) documents.push(await checkOne(one, sources.length > 1, json));
      if (json) printJson(documents);
      if (documents.some(({ ok }) => !ok)) process.exitCode = EXIT.failed;
    });
}

/** This host's clock: a look needs no database, so it cannot ask for the one all hosts share. */
export const localNow = (): Instant => Date.now() * 1000;

/** The platform a parsed source is of. */
export const platformOf = (config: SourceConfig): Platform =>
  registry.platforms.find(({ name }) => name === config.platform) as Platform;

interface CheckDocument {
  readonly source: string;
  readonly ok: boolean;
  readonly requests: number;
  readonly tookSeconds: number;
  readonly steps: readonly Record<string, unknown>[];
}

async function checkOne(config: SourceConfig, heading: boolean, json: boolean): Promise<CheckDocument> {
  if (heading && !json) printLine(config.name);
  const begun = performance.now();
  const steps: Step[] = [];
  const checking = checkSource(config, platformOf(config), {
    now: localNow,
    signal: new AbortController().signal,
    maxReadings: readSettings(process.env).windowReadings,
  });
  let next = await checking.next();
  while (!next.done) {
    steps.push(next.value);
    if (!json) printStep(next.value);
    next = await checking.next();
  }
  const { requests } = next.value;
  const tookSeconds = Math.round((performance.now() - begun) / 100) / 10;
  if (!json) {
    printLine(
      `${requests} requests in ${formatDuration(tookSeconds * SECOND)}, at most ${config.pace.requestsPerSecond} a second; nothing was saved`,
    );
  }
  return {
    source: config.name,
    ok: steps.every(({ ok }) => ok !== false),
    requests,
    tookSeconds,
    steps: steps.map(documentOf),
  };
}

const STEP_WIDTH = 10;

function printStep({ step, ok, detail, warning, error }: Step): void {
  const mark = ok === null ? '–' : ok ? (warning ? '!' : '✓') : '✗';
  printLine(`${mark} ${step.padEnd(STEP_WIDTH)}${detail}`);
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
