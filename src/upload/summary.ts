import { formatBytes } from '../core/bytes.ts';
import { counted } from '../core/counted.ts';
import { SECOND } from '../core/instant.ts';
import { printExactly, printJson, printLine } from '../terminal/output.ts';
import { grouped, roughly } from '../terminal/words.ts';
import type { RefusedRecord } from './delivery.ts';
import type { FilePosition } from './record.ts';
import { documentOf, refusalTable } from './refusals.ts';
import type { UploadCounts, UploadTarget } from './resume.ts';

/** How a push ended. */
export interface Summary {
  readonly input: string;
  readonly target: UploadTarget;
  readonly dryRun: boolean;
  /** The service answered everything that the file holds. */
  readonly finished: boolean;
  /** `--resume` can go on where this push ended. */
  readonly isResumable: boolean;
  /** The service answered everything before this place. */
  readonly place: FilePosition;
  readonly counts: UploadCounts;
  /** The first refusals of this run. */
  readonly shown: readonly RefusedRecord[];
  readonly requests: number;
  readonly seconds: number;
}

/** `--json`: one document on stdout. */
export function printSummaryJson({ target, shown, place, counts, ...summary }: Summary): void {
  const { input, dryRun, finished, requests, seconds } = summary;
  printJson({
    input,
    ...target,
    dryRun,
    finished,
    requests,
    seconds,
    ...counts,
    refusals: shown.map(documentOf),
    line: place.line,
    bytes: place.offset,
  });
}

export function printSummary({ counts, shown, dryRun, place, ...summary }: Summary): void {
  if (counts.refused > 0) {
    if (shown.length > 0) printExactly(`${refusalTable(shown)}\n`);
    const reasons = Object.entries(counts.refusedByReason).toSorted(([, one], [, other]) => other - one);
    const listed = reasons.map(([reason, count]) => `${grouped(count)} ${reason}`).join(', ');
    printLine(`${grouped(counts.refused)} refused: ${listed}`);
    if (counts.refused > shown.length) printLine('--refused FILE keeps all of them');
  }
  if (counts.unknownFields > 0) {
    // As JSON, because a name may hold characters that move the cursor of a terminal.
    const names = counts.unknownFieldNames.map((name) => JSON.stringify(name)).join(', ');
    printLine(`ignored ${counted(counts.unknownFields, 'field')} that no reading has: ${names}`);
  }
  const taken = dryRun
    ? `${grouped(counts.accepted + counts.duplicates)} would be taken`
    : `${grouped(counts.accepted)} accepted, ${counted(counts.duplicates, 'duplicate')}, ${grouped(counts.revised)} revised`;
  printLine(`${grouped(counts.read)} read: ${taken}, ${grouped(counts.refused)} refused`);
  const requests = `${counted(summary.requests, 'request')}`;
  const effort = `${formatBytes(place.offset)} in ${roughly(Math.round(summary.seconds * SECOND))}`;
  printLine(`${dryRun ? 'nothing was sent' : requests} │ ${effort}`);
  if (summary.finished) return;
  const goOn = summary.isResumable
    ? '--resume goes on there'
    : `--from-line ${place.line} goes on there; a pipe cannot be resumed`;
  printLine(`stopped: everything before line ${place.line} was answered; ${goOn}`);
}
