import { PushError } from '../client/index.ts';
import type { PushAnswer, PushClient, RefusedReading } from '../client/index.ts';
import { patiently } from './patience.ts';
import type { Patience } from './patience.ts';
import { LOCAL_REFUSALS } from './record.ts';
import type { FileRecord, LocalReason } from './record.ts';

/** A record that the service did not take, or that cannot be sent. */
export interface RefusedRecord {
  readonly record: FileRecord;
  /** JSON pointer within the record; empty for the whole record. */
  readonly pointer: string;
  readonly reason: string;
  readonly message: string;
}

/** The answers to a batch, added up. */
export interface SentBatch {
  readonly accepted: number;
  readonly duplicates: number;
  readonly revised: number;
  readonly unknownFields: number;
  readonly unknownFieldNames: readonly string[];
  /** In the order of the file. */
  readonly refused: readonly RefusedRecord[];
}

export interface Delivery {
  /** Sends a batch and waits until the service stored it. Throws PushError, and AbortError where `stop` ended a wait. */
  deliver(batch: readonly FileRecord[]): Promise<SentBatch>;
  /** Requests so far, failed tries included. */
  requests(): number;
}

/** Sends batches one after the other: where a file holds a reading twice, the later value must arrive later. */
export function deliveryTo(client: PushClient, project: string, patience: Patience): Delivery {
  let requests = 0;
  /** The service takes at most this many readings in a request, as far as its answers show. */
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
   * An answer lists only its first refusals. The records behind the last one listed are sent again, so that the service
   * names the next refusals. The counts of that answer are left out, because the readings it takes are duplicates.
   */
  async function refusedOf(records: readonly FileRecord[], answer: PushAnswer): Promise<RefusedRecord[]> {
    const refused: RefusedRecord[] = [];
    let [sent, latest] = [records, answer];
    for (;;) {
      for (const each of latest.refused) refused.push(refusedThere(sent[each.index] as FileRecord, each));
      const last = latest.refused.at(-1);
      if (last === undefined || latest.refused.length >= latest.refusedCount) return refused;
      sent = sent.slice(last.index + 1);
      latest = await push(sent);
    }
  }

  async function send(records: readonly FileRecord[]): Promise<SentBatch> {
    try {
      const answer = await push(records);
      const { refused: _listed, refusedCount: _count, ...taken } = answer;
      return { ...taken, refused: await refusedOf(records, answer) };
    } catch (error) {
      if (!(error instanceof PushError) || error.fault.code !== 'too-large') throw error;
      if (records.length === 1)
        return { ...NOTHING, refused: records.map((record) => refusedHere(record, 'too-large')) };
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
        record.refusal === undefined ? [] : [refusedHere(record, record.refusal)],
      );
      const refused = [...sum.refused, ...local].toSorted((one, other) => one.record.line - other.record.line);
      return { ...sum, refused };
    },
    requests: () => requests,
  };
}

const NOTHING: SentBatch = {
  accepted: 0,
  duplicates: 0,
  revised: 0,
  unknownFields: 0,
  unknownFieldNames: [],
  refused: [],
};

const added = (one: SentBatch, other: SentBatch): SentBatch => ({
  accepted: one.accepted + other.accepted,
  duplicates: one.duplicates + other.duplicates,
  revised: one.revised + other.revised,
  unknownFields: one.unknownFields + other.unknownFields,
  unknownFieldNames: [...one.unknownFieldNames, ...other.unknownFieldNames],
  refused: [...one.refused, ...other.refused],
});

const refusedHere = (record: FileRecord, reason: LocalReason): RefusedRecord => ({
  record,
  pointer: '',
  reason,
  message: LOCAL_REFUSALS[reason],
});

const refusedThere = (record: FileRecord, { pointer, reason, message }: RefusedReading): RefusedRecord => ({
  record,
  pointer: pointer.replace(/^\/\d+/, ''),
  reason,
  message,
});
