import { counted } from '../../core/counted.ts';
import { SECOND } from '../../core/instant.ts';
import { titleOf } from '../../core/source/source-name.ts';
import type { Step } from '../../source/check.ts';
import { checkInSteps } from '../../source/check-in-steps.ts';
import type { CheckResult } from '../../source/check-in-steps.ts';
import { readSettings } from '../../settings.ts';
import { EXIT, printJson, printLine } from '../../terminal/output.ts';
import { paintOn } from '../../terminal/screen.ts';
import { inColour } from '../../terminal/states.ts';
import { roughly } from '../../terminal/words.ts';
import type { AtHand } from './bridge-at-hand.ts';
import { localNow } from './source-files.ts';
import { interruptible } from './stop.ts';
import { tryingSources, whyAlone } from './tried-sources.ts';
import type { Tried } from './tried-sources.ts';

interface CheckOptions {
  readonly organisation?: string;
  readonly inQuietHours?: boolean;
  readonly tryAgain?: boolean;
  readonly json?: boolean;
}

/** `source check`. */
export async function sourceCheck(pathOrName: string, options: CheckOptions): Promise<void> {
  const json = options.json ?? false;
  const documents: CheckDocument[] = [];
  const given = { pathOrName, organisation: options.organisation, json };
  await interruptible('nothing was saved', (signal) =>
    tryingSources(given, readSettings(process.env), async (sources, atHand) => {
      for (const one of sources)
        documents.push(await checkOne(one, { ...options, atHand, signal, heading: sources.length > 1 }));
    }),
  );
  if (json && process.exitCode !== EXIT.usage) printJson(documents);
  if (documents.some(({ ok }) => !ok)) process.exitCode = EXIT.failed;
}

type CheckDocument = Omit<CheckResult, 'requestsPerSecond'>;

async function checkOne(
  { config, platform }: Tried,
  given: CheckOptions & { readonly atHand: AtHand; readonly signal: AbortSignal; readonly heading: boolean },
): Promise<CheckDocument> {
  const { atHand, signal, inQuietHours, tryAgain, json = false } = given;
  if (given.heading && !json) printLine(titleOf(config));
  const settings = readSettings(process.env);
  const checking = checkInSteps(config, platform, {
    now: localNow,
    signal,
    bridge: atHand.bridge,
    inQuietHours,
    tryAgain,
    maxReadings: settings.windowReadings,
    ...settings.egress,
    whyAlone: whyAlone(atHand),
  });
  let next = await checking.next();
  while (!next.done) {
    if (!json) printStep(next.value);
    next = await checking.next();
  }
  const { requestsPerSecond, ...document } = next.value;
  if (!json) {
    const { requests, tookSeconds, sharesPace, why } = document;
    const turns = sharesPace ? 'taking turns with its workers' : `without taking turns with workers: ${why ?? ''}`;
    printLine(
      `${counted(requests, 'request')} in ${roughly(tookSeconds * SECOND)}, at most ${requestsPerSecond} a second, ${turns}; nothing was saved`,
    );
  }
  return document;
}

const STEP_WIDTH = 10;

function printStep({ step, ok, detail, warning, error }: Step): void {
  const [mark, state] = ok === null ? ['–', ''] : ok ? (warning ? ['!', 'warning'] : ['✓', 'ok']) : ['✗', 'failed'];
  printLine(`${inColour(state, mark, paintOn(process.stdout))} ${step.padEnd(STEP_WIDTH - 1)} ${detail}`);
  if (error?.remedy !== undefined) printLine(`${' '.repeat(STEP_WIDTH + 2)}try: ${error.remedy}`);
}
