import { counted as numbered } from '../core/counted.ts';
import type { PushClient } from '../client/index.ts';
import { formatBytes } from '../core/bytes.ts';
import { SILENT, startProgress } from '../terminal/progress.ts';
import type { TaskState } from '../terminal/progress.ts';
import { grouped } from '../terminal/words.ts';
import { uploadBatches } from './batches.ts';
import { deliveryTo } from './delivery.ts';
import type { SentBatch } from './delivery.ts';
import { bytesOf, inputOf, recordsOf } from './file.ts';
import type { Input } from './file.ts';
import type { Format } from './format.ts';
import { BEGINNING } from './record.ts';
import type { FilePosition, FileRecord } from './record.ts';
import { openRefusals } from './refusals.ts';
import { openCheckpoint } from './resume.ts';
import type { ResumeOptions, UploadCounts, UploadTarget } from './resume.ts';
import type { Summary } from './summary.ts';

/** A file and the project it goes to. */
export interface Upload {
  /** Path of the file; `-` for standard input. */
  readonly file: string;
  readonly target: UploadTarget;
  readonly client: PushClient;
  /** Ends the push behind the request under way. */
  readonly stop: AbortSignal;
  /** The client judges readings without sending them; no state is kept. */
  readonly dryRun: boolean;
  /** Shows no progress. */
  readonly json: boolean;
}

export interface RunOptions extends ResumeOptions {
  readonly format?: Format;
  /** A request holds at most this many readings. */
  readonly batch: number;
  /** Path of the file that takes all refusals. */
  readonly refused?: string;
  /** Failures in a row may last at most this long, ms. */
  readonly giveUpAfter: number;
}

const LINGER_MS = 1_000;

/** At most this many unknown fields are named. */
const MOST_NAMES = 20;

const NO_COUNTS: UploadCounts = {
  read: 0,
  accepted: 0,
  duplicates: 0,
  revised: 0,
  refused: 0,
  unknownFields: 0,
  unknownFieldNames: [],
  refusedByReason: {},
};

/**
 * Sends a file batch by batch. Returns how far it came, and as `error` the failure that ended it before the end of the
 * file. Throws `config-invalid` for options that cannot be right, before anything is read.
 */
export async function runPush(task: Upload, options: RunOptions): Promise<{ summary: Summary; error: unknown }> {
  const { target, stop, dryRun } = task;
  const begunAt = performance.now();
  const input = await inputOf(task.file);
  const checkpoint = await openCheckpoint(input, target, { ...options, dryRun });
  const { earlier } = checkpoint;
  const refusals = await openRefusals(options.refused, earlier?.refusedBytes ?? 0);

  let { place, counts } = earlier ?? { place: BEGINNING, counts: NO_COUNTS };
  const format = options.format ?? earlier?.format;
  const taskState = taskStates(input, counts);
  const progress = task.json ? SILENT : startProgress(taskState(place, counts));
  const delivery = deliveryTo(task.client, target.project, {
    giveUpAfterMs: options.giveUpAfter,
    stop,
    onTrouble: progress.tell,
  });

  async function send(batch: readonly FileRecord[]): Promise<void> {
    const sent = await delivery.deliver(batch);
    await refusals.add(sent.refused);
    counts = counted(counts, batch.length, sent);
    place = (batch.at(-1) as FileRecord).next;
    await checkpoint.keep({ target, format, place, counts, refusedBytes: refusals.bytes() }, progress.tell);
    progress.update(taskState(place, counts));
  }

  const reading = new AbortController();
  let error: unknown;
  try {
    const bytes = bytesOf(input, AbortSignal.any([stop, reading.signal]));
    const pages = recordsOf(bytes, input.path, { format, fromLine: options.fromLine ?? place.line });
    await eachAhead(uploadBatches(pages, { records: options.batch, lingerMs: LINGER_MS }), stop, send);
    if (!stop.aborted) await checkpoint.remove();
  } catch (thrown) {
    if (!stop.aborted) error = thrown;
  } finally {
    // An open standard input would keep the process alive.
    reading.abort();
    progress.stop();
    await refusals.close();
  }
  const summary: Summary = {
    input: input.name,
    target,
    dryRun,
    finished: error === undefined && !stop.aborted,
    isResumable: checkpoint.isResumable,
    place,
    counts,
    shown: refusals.shown,
    requests: dryRun ? 0 : delivery.requests(),
    seconds: (performance.now() - begunAt) / 1000,
  };
  return { summary, error };
}

/** Acts on items one after the other; the next item is made meanwhile. */
async function eachAhead<T>(
  items: AsyncGenerator<T>,
  stop: AbortSignal,
  act: (item: T) => Promise<void>,
): Promise<void> {
  let upcoming = items.next();
  while (!stop.aborted) {
    const next = await upcoming;
    if (next.done === true) return;
    upcoming = items.next();
    // The loop meets an error of the next item when its turn comes.
    upcoming.catch(() => undefined);
    await act(next.value);
  }
}

function counted(counts: UploadCounts, read: number, sent: SentBatch): UploadCounts {
  const refusedByReason = { ...counts.refusedByReason };
  for (const { reason } of sent.refused) refusedByReason[reason] = (refusedByReason[reason] ?? 0) + 1;
  return {
    read: counts.read + read,
    accepted: counts.accepted + sent.accepted,
    duplicates: counts.duplicates + sent.duplicates,
    revised: counts.revised + sent.revised,
    refused: counts.refused + sent.refused.length,
    unknownFields: counts.unknownFields + sent.unknownFields,
    unknownFieldNames: [...new Set([...counts.unknownFieldNames, ...sent.unknownFieldNames])].slice(0, MOST_NAMES),
    refusedByReason,
  };
}

/** How far a push is, in words. The rate leaves out the readings that an earlier push sent. */
function taskStates({ size }: Input, earlier: UploadCounts): (at: FilePosition, counts: UploadCounts) => TaskState {
  const begunAt = performance.now();
  return ({ offset }, { read, refused }) => {
    const seconds = Math.max(0.001, (performance.now() - begunAt) / 1000);
    const rate = grouped(Math.round((read - earlier.read) / seconds));
    return {
      share: size === undefined ? undefined : offset / Math.max(1, size),
      facts: [formatBytes(offset), `${numbered(read, 'reading')}, ${rate}/s`, `${grouped(refused)} refused`],
    };
  };
}
