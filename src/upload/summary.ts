import { grouped } from '../terminal/words.ts';
import { formatBytes } from '../core/bytes.ts';
import { printJson, printLine } from '../terminal/output.ts';
import { documentOf, refusalTable } from './refusals.ts';
import type { RefusedRecord } from './delivery.ts';
import type { FilePosition } from './record.ts';
import type { UploadCounts, UploadTarget } from './state.ts';

/** How a push ended. */
export interface Summary {
  readonly input: string;
  readonly target: UploadTarget;
  readonly dryRun: boolean;
  /** Everything that was read was answered. */
  readonly finished: boolean;
  /** All before this was answered. */
  readonly place: FilePosition;
  readonly counts: UploadCounts;
  readonly shown: readonly RefusedRecord[];
  readonly requests: number;
  readonly seconds: number;
  /** What to do to go on, where it did not finish. */
  readonly goOn: string;
}

export const NO_COUNTS: UploadCounts = {
  read: 0,
  accepted: 0,
  duplicates: 0,
  revised: 0,
  refused: 0,
  unknownFields: 0,
  refusedByReason: {},
};

/** `--json`: one document on stdout. */
export function printSummaryJson({ input, target, shown, place, counts, ...more }: Summary): void {
  const { goOn: _, ...facts } = more;
  printJson({
    input,
    ...target,
    ...facts,
    ...counts,
    refusals: shown.map(documentOf),
    line: place.line,
    bytes: place.offset,
  });
}

export function printSummary(summary: Summary): void {
  const { counts, shown, dryRun, place } = summary;
  if (counts.refused > 0) {
    if (shown.length > 0) printLine(`${refusalTable(shown)}\n`);
    const reasons = Object.entries(counts.refusedByReason).toSorted(([, one], [, other]) => other - one);
    const said = reasons.map(([reason, count]) => `${grouped(count)} ${reason}`).join(', ');
    printLine(`${grouped(counts.refused)} refused: ${said}`);
    if (counts.refused > shown.length) printLine('--refused FILE keeps all of them');
  }
  if (counts.unknownFields > 0) printLine(`${grouped(counts.unknownFields)} fields that no reading has were ignored`);
  const taken = dryRun
    ? `${grouped(counts.accepted + counts.duplicates)} would be taken`
    : `${grouped(counts.accepted)} accepted, ${grouped(counts.duplicates)} duplicates, ${grouped(counts.revised)} revised`;
  printLine(`${grouped(counts.read)} read: ${taken}, ${grouped(counts.refused)} refused`);
  const effort = `${formatBytes(place.offset)} in ${summary.seconds.toFixed(1)} s`;
  printLine(
    dryRun
      ? `nothing was sent │ ${effort}`
      : `${grouped(summary.requests)} ${summary.requests === 1 ? 'request' : 'requests'} │ ${effort}`,
  );
  if (!summary.finished) printLine(`stopped: everything before line ${place.line} was answered; ${summary.goOn}`);
}
