import type { PushClient } from '../client/index.ts';
import { uploadBatches } from './batches.ts';
import { deliveryTo } from './delivery.ts';
import type { SentBatch } from './delivery.ts';
import { bytesOf, formatOf, inputOf, peeked, recordsOf } from './file.ts';
import type { Format } from './file.ts';
import { startProgress } from './progress.ts';
import type { Far } from './progress.ts';
import { BEGINNING } from './record.ts';
import type { FileRecord } from './record.ts';
import { openRefusals } from './refusals.ts';
import { isKept, stateKeeper, stateToResume } from './resume.ts';
import type { ResumeOptions } from './resume.ts';
import type { UploadCounts, UploadTarget } from './state.ts';
import { NO_COUNTS } from './summary.ts';
import type { Summary } from './summary.ts';

/** What is sent where. */
export interface Upload {
  readonly file: string;
  readonly target: UploadTarget;
  readonly client: PushClient;
  /** Ends the push behind the request under way. */
  readonly stop: AbortSignal;
  readonly dryRun: boolean;
  /** No progress is shown. */
  readonly json: boolean;
}

export interface RunOptions extends ResumeOptions {
  readonly format?: Format;
  /** Most readings in a request. */
  readonly batch: number;
  /** Where progress is kept. */
  readonly state?: string;
  /** Where all refusals are written down. */
  readonly refused?: string;
  /** How long failures in a row may last, ms. */
  readonly giveUpAfter: number;
}

/** A pipe that is written slowly sends what it has after so long. */
const LINGER_MS = 1_000;

/**
 * Sends a file batch by batch and tells how far it came; `error` is what ended it before the end of the file.
 * Throws what is wrong before anything is read.
 */
export async function runPush(task: Upload, options: RunOptions): Promise<{ summary: Summary; error: unknown }> {
  const { target, stop, dryRun } = task;
  const begunAt = performance.now();
  const input = await inputOf(task.file);
  const statePath = options.state ?? `${task.file}.databridge-push`;
  const earlier = dryRun ? undefined : await stateToResume({ input, path: statePath, target }, options);
  const refusals = await openRefusals(options.refused, earlier?.refusedBytes ?? 0);

  const from = earlier?.place ?? BEGINNING;
  let { place, counts } = { place: from, counts: earlier?.counts ?? NO_COUNTS };
  let format = options.format ?? earlier?.format;
  let columns = earlier?.columns;
  const far = (): Far => ({ bytes: place.offset, readings: counts.read, refused: counts.refused });
  const progress = startProgress({ size: input.size, json: task.json, from: far() });
  const state = isKept(input) && !dryRun ? await stateKeeper(statePath, input, progress.tell) : undefined;
  const delivery = deliveryTo(task.client, target.project, {
    giveUpAfterMs: options.giveUpAfter,
    stop,
    onTrouble: progress.tell,
  });

  async function* records(reading: AbortSignal): AsyncGenerator<readonly FileRecord[]> {
    const peek = await peeked(bytesOf(input, from, reading));
    format ??= formatOf(input, peek.first);
    const heading = { known: columns, onFound: (found: readonly string[]) => void (columns = [...found]) };
    for await (const page of recordsOf(format, peek, from, heading)) {
      yield options.fromLine === undefined ? page : page.filter(({ line }) => line >= Number(options.fromLine));
    }
  }

  async function send(batch: readonly FileRecord[]): Promise<void> {
    const delivered = await delivery.deliver(batch);
    await refusals.add(delivered.refused);
    counts = counted(counts, batch.length, delivered);
    place = (batch.at(-1) as FileRecord).next;
    const kept = { target, place, counts, refusedBytes: refusals.bytes(), format: format ?? 'ndjson' };
    await state?.keep(columns === undefined ? kept : { ...kept, columns });
    progress.update(far());
  }

  const reading = new AbortController();
  let error: unknown;
  try {
    const pages = records(AbortSignal.any([stop, reading.signal]));
    await eachAhead(uploadBatches(pages, { records: options.batch, lingerMs: LINGER_MS }), stop, send);
    if (!stop.aborted) await state?.remove();
  } catch (thrown) {
    if (!stop.aborted) error = thrown;
  } finally {
    // Without this an open standard input keeps the process.
    reading.abort();
    progress.stop();
    await refusals.close();
  }
  const finished = error === undefined && !stop.aborted;
  const goOn = state ? '--resume goes on there' : `--from-line ${place.line} goes on there; a pipe cannot be resumed`;
  const seconds = (performance.now() - begunAt) / 1000;
  const facts = { input: input.name, target, dryRun, finished, place, counts, shown: refusals.shown };
  return { summary: { ...facts, requests: dryRun ? 0 : delivery.requests(), seconds, goOn }, error };
}

/** Acts on one after the other, while the next one is being made. */
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
    // What goes wrong with it is heard when its turn comes.
    upcoming.catch(() => undefined);
    await act(next.value);
  }
}

function counted(counts: UploadCounts, read: number, delivered: SentBatch): UploadCounts {
  const refusedByReason = { ...counts.refusedByReason };
  for (const { reason } of delivered.refused) refusedByReason[reason] = (refusedByReason[reason] ?? 0) + 1;
  return {
    read: counts.read + read,
    accepted: counts.accepted + delivered.accepted,
    duplicates: counts.duplicates + delivered.duplicates,
    revised: counts.revised + delivered.revised,
    refused: counts.refused + delivered.refused.length,
    unknownFields: counts.unknownFields + delivered.unknownFields,
    refusedByReason,
  };
}
