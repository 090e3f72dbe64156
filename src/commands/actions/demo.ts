import { parseDuration } from '../../core/duration.ts';
import { configInvalid } from '../../core/errors.ts';
import { DAY, SECOND } from '../../core/instant.ts';
import type { Microseconds } from '../../core/instant.ts';
import { openHome } from '../../demo/home.ts';
import { demoPlants } from '../../demo/plants.ts';
import { isScreen, paintOn } from '../../terminal/screen.ts';
import { stopOnSignals } from '../../demo/stop.ts';
import { SUMMARY, resultLines, summaryDocument, summaryRows } from '../../demo/summary.ts';
import type { DemoOutcome } from '../../demo/summary.ts';
import { runDemo } from '../../demo/run.ts';
import { pipeViewer, silentViewer, terminalViewer } from './demo-viewers.ts';
import { EXIT, printJson, printLine, printTable } from '../../terminal/output.ts';

interface DemoFlags {
  readonly for?: string;
  readonly keep?: string;
  readonly json?: boolean;
  readonly lie?: boolean;
}

/** `demo`. */
export async function demo(flags: DemoFlags): Promise<void> {
  const length = lengthOf(flags.for);
  const plants = demoPlants({ lies: flags.lie ?? false });
  const stop = stopOnSignals(process.stdout);
  const home = await openHome(flags.keep);
  const viewer = flags.json
    ? silentViewer
    : isScreen(process.stdout)
      ? terminalViewer(home.path, plants, length)
      : pipeViewer(home.path, plants);
  let outcome: DemoOutcome;
  try {
    outcome = await runDemo({ home, length, plants, signal: stop.signal }, viewer);
  } finally {
    try {
      await home.remove();
    } finally {
      viewer.leaves();
      stop.release();
    }
  }
  if (flags.json) printJson(summaryDocument(outcome));
  else {
    if (outcome.verdicts.length > 0) {
      printTable(SUMMARY, summaryRows(outcome.verdicts));
      printLine();
    }
    printLine(`${resultLines(outcome, paintOn(process.stdout)).join('\n')}`);
    if (home.kept) printLine(`  Kept: export DATABRIDGE_HOME=${home.path}`);
    else if (stop.signal.aborted) printLine('  Interrupted: plants, database and readings of the demo are removed.');
  }
  process.exitCode = codeOf(outcome, stop.signal.aborted && length !== undefined);
}

/** Ctrl-C is the end of a demo without a length. */
function codeOf({ problems, verdicts }: DemoOutcome, early: boolean): number {
  if (problems.length > 0 && verdicts.length > 0) return EXIT.failed;
  if (early || problems.length > 0) return EXIT.interrupted;
  return EXIT.done;
}

function lengthOf(text: string | undefined): Microseconds | undefined {
  if (text === undefined) return undefined;
  const length = parseDuration(text);
  if (length !== undefined && length >= SECOND && length <= DAY) return length;
  throw configInvalid(`--for ${JSON.stringify(text)} is not a duration from 1s to 1d`, 'write 30s or 5m', '--for');
}
