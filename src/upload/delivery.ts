import { PushError } from '../client/index.ts';
import type { PushAnswer, PushClient, RefusedReading } from '../client/index.ts';
import { patiently } from './patience.ts';
import type { Patience } from './patience.ts';
import { localRefusal } from './record.ts';
import type { FileRecord } from './record.ts';

/** A record that was not taken. */
export interface RefusedRecord {
  readonly record: FileRecord;
  /** JSON pointer within the record; empty for the whole of it. */
  readonly pointer: string;
  readonly reason: string;
  readonly message: string;
}

/** What became of a batch. */
export interface SentBatch {
  readonly accepted: number;
  readonly duplicates: number;
  readonly revised: number;
  readonly unknownFields: number;
  /** In the order of the file. */
  readonly refused: readonly RefusedRecord[];
}

export interface Delivery {
  /** Sends a batch and waits until it is durable. Throws PushError, and AbortError where a wait was ended. */
  deliver(batch: readonly FileRecord[]): Promise<SentBatch>;
  /** Requests so far, tries that failed included. */
  requests(): number;
}

/** Sends batches to a project one after the other: where a reading comes twice, the later one has to arrive later. */
export function deliveryTo(client: PushClient, project: string, patience: Patience): Delivery {
  let requests = 0;
  /** Most readings the service takes at a time, as far as is known. */
  let most = Infinity;

  const push = (records: readonly FileRecord[]): Promise<PushAnswer> =>
    patiently(patience, () => {
      requests += 1;
      return client.push(
        project,
        records.map(({ reading }) => reading),
      );
    });

  /**
   * The answer lists the first refusals only. From behind the last listed one the records are sent again to have the rest
   * named; all but the refused ones are duplicates then, so that answer counts nothing.
   */
  async function refusedOf(records: readonly FileRecord[], answer: PushAnswer): Promise<RefusedRecord[]> {
    const refused: RefusedRecord[] = [];
    let [sent, heard] = [records, answer];
    for (;;) {
      for (const each of heard.refused) refused.push(refusedRecord(sent[each.index] as FileRecord, each));
      const last = heard.refused.at(-1);
      if (last === undefined || heard.refused.length >= heard.refusedCount) return refused;
      sent = sent.slice(last.index + 1);
      heard = await push(sent);
    }
  }

  async function send(records: readonly FileRecord[]): Promise<SentBatch> {
    try {
      const answer = await push(records);
      const { accepted, duplicates, revised, unknownFields } = answer;
      return { accepted, duplicates, revised, unknownFields, refused: await refusedOf(records, answer) };
    } catch (error) {
      if (!(error instanceof PushError) || error.fault.code !== 'too-large') throw error;
      if (records.length === 1) return { ...NOTHING, refused: records.map((record) => tooLarge(record)) };
      most = Math.ceil(records.length / 2);
      return await sendAll(records);
    }
  }

  async function sendAll(records: readonly FileRecord[]): Promise<SentBatch> {
    let sum = NOTHING;
    for (let from = 0; from < records.length;) {
      const part = records.slice(from, from + most);
      sum = added(sum, await send(part));
      from += part.length;
    }
    return sum;
  }

  return {
    async deliver(batch) {
      const sum = await sendAll(batch.filter(({ refusal }) => refusal === undefined));
      const local = batch.flatMap((record) =>
        record.refusal === undefined ? [] : [{ record, pointer: '', ...record.refusal }],
      );
      const refused = [...sum.refused, ...local].toSorted(
        (one, other) => one.record.next.offset - other.record.next.offset,
      );
      return { ...sum, refused };
    },
    requests: () => requests,
  };
}

const NOTHING: SentBatch = { accepted: 0, duplicates: 0, revised: 0, unknownFields: 0, refused: [] };

const added = (one: SentBatch, other: SentBatch): SentBatch => ({
  accepted: one.accepted + other.accepted,
  duplicates: one.duplicates + other.duplicates,
  revised: one.revised + other.revised,
  unknownFields: one.unknownFields + other.unknownFields,
  refused: [...one.refused, ...other.refused],
});

const tooLarge = (record: FileRecord): RefusedRecord => ({ record, pointer: '', ...localRefusal('too-large') });

const refusedRecord = (record: FileRecord, { pointer, reason, message }: RefusedReading): RefusedRecord => ({
  record,
  pointer: pointer.replace(/^\/\d+/, ''),
  reason,
  message,
});
