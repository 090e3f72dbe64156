import { counted } from '../../core/counted.ts';
import { SECOND } from '../../core/instant.ts';
import { titleOf } from '../../core/source/source-name.ts';
import { checkSource } from '../../source/check.ts';
import { stepDocument } from '../../source/trial-documents.ts';
import type { Step } from '../../source/check.ts';
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

interface CheckDocument {
  readonly source: string;
  readonly organisation: string;
  readonly ok: boolean;
  readonly requests: number;
  /** Whether the requests took turns with the workers of the source; where not, `why`. */
  readonly sharesPace: boolean;
  readonly why: string | null;
  readonly tookSeconds: number;
  readonly steps: readonly Record<string, unknown>[];
}

async function checkOne(
  { config, platform }: Tried,
  given: CheckOptions & { readonly atHand: AtHand; readonly signal: AbortSignal; readonly heading: boolean },
): Promise<CheckDocument> {
  const { atHand, signal, inQuietHours, tryAgain, json = false } = given;
  if (given.heading && !json) printLine(titleOf(config));
  const begun = performance.now();
  const steps: Step[] = [];
  const settings = readSettings(process.env);
  const checking = checkSource(config, platform, {
    now: localNow,
    signal,
    bridge: atHand.bridge,
    inQuietHours,
    tryAgain,
    maxReadings: settings.windowReadings,
    ...settings.egress,
  });
  let next = await checking.next();
  try {
    while (!next.done) {
      signal.throwIfAborted();
      steps.push(next.value);
      if (!json) printStep(next.value);
      next = await checking.next();
    }
  } finally {
    // An interrupted check gives its slots back.
    await checking.return({ requests: 0, sharesPace: false, requestsPerSecond: 0 });
  }
  const { requests, sharesPace, requestsPerSecond } = next.value;
  const why = sharesPace ? null : (whyAlone(atHand) ?? null);
  const tookSeconds = Math.round((performance.now() - begun) / 100) / 10;
  if (!json) {
    const turns = sharesPace ? 'taking turns with its workers' : `without taking turns with workers: ${why ?? ''}`;
    printLine(
      `${counted(requests, 'request')} in ${roughly(tookSeconds * SECOND)}, at most ${requestsPerSecond} a second, ${turns}; nothing was saved`,
    );
  }
  return {
    source: config.name,
    organisation: config.organisation,
    ok: steps.every(({ ok }) => ok !== false),
    requests,
    sharesPace,
    why,
    tookSeconds,
    steps: steps.map(stepDocument),
  };
}

const STEP_WIDTH = 10;

function printStep({ step, ok, detail, warning, error }: Step): void {
  const [mark, state] = ok === null ? ['–', ''] : ok ? (warning ? ['!', 'warning'] : ['✓', 'ok']) : ['✗', 'failed'];
  printLine(`${inColour(state, mark, paintOn(process.stdout))} ${step.padEnd(STEP_WIDTH - 1)} ${detail}`);
  if (error?.remedy !== undefined) printLine(`${' '.repeat(STEP_WIDTH + 2)}try: ${error.remedy}`);
}
