import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { PushError } from '../client/index.ts';
import type { PushAnswer, PushClient, PushFault } from '../client/index.ts';
import { uploadBatches } from './batches.ts';
import { deliveryTo } from './delivery.ts';
import type { Delivery } from './delivery.ts';
import { localJudge } from './dry-run.ts';
import { LOCAL_REFUSALS } from './record.ts';
import type { FileRecord } from './record.ts';

/** One record a line of ten bytes. */
const recordsOf = (readings: readonly unknown[]): FileRecord[] =>
  readings.map((reading, index) => ({
    line: index + 1,
    next: { offset: 10 * (index + 1), line: index + 2 },
    bytes: 9,
    reading,
  }));

const reading = (index: number, value: unknown = index): unknown => ({
  sensorId: 'a',
  date: new Date(Date.UTC(2026, 0, 1) + index * 1000).toISOString(),
  value,
});

const many = <T>(count: number, each: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => each(index));

/** A delivery to a client, with the readings that client was sent. */
function delivering(
  client: PushClient,
  given: { giveUpAfterMs?: number; stop?: AbortSignal } = {},
): { delivery: Delivery; sent: unknown[][]; troubles: (string | undefined)[] } {
  const sent: unknown[][] = [];
  const troubles: (string | undefined)[] = [];
  const watched: PushClient = {
    push(project, readings) {
      sent.push([...readings]);
      return client.push(project, readings);
    },
  };
  const delivery = deliveryTo(watched, 'hall', {
    giveUpAfterMs: given.giveUpAfterMs ?? 60_000,
    stop: given.stop ?? new AbortController().signal,
    onTrouble: (trouble) => troubles.push(trouble),
  });
  return { delivery, sent, troubles };
}

/** Fails `times` times, then takes everything. */
function failing(times: number, fault: PushFault): PushClient {
  let left = times;
  return {
    push(project, readings) {
      left -= 1;
      return left >= 0 ? Promise.reject(new PushError(fault, 'no')) : localJudge.push(project, readings);
    },
  };
}

const AWAY: PushFault = { code: 'unreachable', why: 'refused' };

test('an answer that lists only some refusals is asked for the others, and every refusal counts once', async () => {
  const readings = many(3_000, (index) => reading(index, index % 6 === 0 ? index : String(index)));
  const { delivery, sent } = delivering(localJudge);
  const delivered = await delivery.deliver(recordsOf(readings));
  expect(delivered).toMatchObject({ accepted: 500, duplicates: 0, revised: 0 });
  expect(delivered.refused.map(({ record }) => record.line)).toEqual(
    many(3_000, (index) => index + 1).filter((line) => (line - 1) % 6 !== 0),
  );
  expect(delivered.refused[0]).toMatchObject({ pointer: '/value', reason: 'text-number' });
  expect(sent.map(({ length }) => length)).toEqual([3_000, 1_800, 600]);
  expect(delivery.requests()).toBe(3);
});

test('a batch that is too large is halved until the service takes it, and the next batch begins with that size', async () => {
  const small: PushClient = {
    push: (project, readings) =>
      readings.length > 300
        ? Promise.reject(new PushError({ code: 'too-large' }, 'no'))
        : localJudge.push(project, readings),
  };
  const { delivery, sent } = delivering(small);
  const records = recordsOf(many(1_000, (index) => reading(index)));
  await expect(delivery.deliver(records)).resolves.toMatchObject({ accepted: 1_000, refused: [] });
  await expect(delivery.deliver(records)).resolves.toMatchObject({ accepted: 1_000 });
  expect(sent.map(({ length }) => length)).toEqual([1_000, 500, ...many(8, () => 250)]);
  expect(sent.slice(2, 6).flat()).toEqual(records.map((record) => record.reading));
});

test('a reading that is too large by itself is refused, and the others are sent', async () => {
  const client: PushClient = {
    push: (project, readings) =>
      JSON.stringify(readings).includes('huge')
        ? Promise.reject(new PushError({ code: 'too-large' }, 'no'))
        : localJudge.push(project, readings),
  };
  const { delivery } = delivering(client);
  const records = recordsOf([reading(1), { sensorId: 'huge' }, reading(2)]);
  const delivered = await delivery.deliver(records);
  expect(delivered.accepted).toBe(2);
  expect(delivered.refused).toEqual([
    { record: records[1], pointer: '', reason: 'too-large', message: LOCAL_REFUSALS['too-large'] },
  ]);
});

test('a record that is refused without being sent stands among the other refusals by its line', async () => {
  const records = recordsOf([reading(1), 'text', reading(3, '3'), reading(4)]);
  const broken = { ...(records[1] as FileRecord), refusal: 'not-json' as const };
  const { delivery, sent } = delivering(localJudge);
  const { refused } = await delivery.deliver([records[0]!, broken, records[2]!, records[3]!]);
  expect(refused.map(({ record, reason }) => [record.line, reason])).toEqual([
    [2, 'not-json'],
    [3, 'text-number'],
  ]);
  expect(sent).toEqual([[reading(1), reading(3, '3'), reading(4)]]);
  await delivery.deliver([broken]);
  expect(delivery.requests()).toBe(1);
});

test.each<[fault: PushFault, times: number]>([
  [AWAY, 2],
  [{ code: 'failed', status: 500 }, 1],
  [{ code: 'overloaded', status: 503, retryAfterMs: 1 }, 1],
])('a fault that may pass is followed by another try, and told once: %j, %i times', async (fault, times) => {
  const { delivery, sent, troubles } = delivering(failing(times, fault));
  await expect(delivery.deliver(recordsOf([reading(1)]))).resolves.toMatchObject({ accepted: 1 });
  expect(sent).toHaveLength(times + 1);
  expect(troubles).toEqual([expect.stringContaining('trying again'), undefined]);
});

test('a fault that does not pass ends the delivery, and so does a fault that lasts too long', async () => {
  const rejected = delivering(failing(1, { code: 'credentials-rejected' }));
  await expect(rejected.delivery.deliver(recordsOf([reading(1)]))).rejects.toBeInstanceOf(PushError);
  expect(rejected.sent).toHaveLength(1);
  const atOnce = delivering(failing(1, AWAY), { giveUpAfterMs: 0 });
  await expect(atOnce.delivery.deliver(recordsOf([reading(1)]))).rejects.toBeInstanceOf(PushError);
  expect([atOnce.sent.length, atOnce.troubles]).toEqual([1, []]);
  const later = delivering(failing(Infinity, AWAY), { giveUpAfterMs: 300 });
  await expect(later.delivery.deliver(recordsOf([reading(1)]))).rejects.toBeInstanceOf(PushError);
  expect(later.sent.length).toBeGreaterThan(1);
  const asked = delivering(failing(1, { code: 'overloaded', status: 503, retryAfterMs: 61_000 }));
  await expect(asked.delivery.deliver(recordsOf([reading(1)]))).rejects.toBeInstanceOf(PushError);
  expect(asked.sent).toHaveLength(1);
});

test('a signal ends a wait', async () => {
  const stop = new AbortController();
  const { delivery, sent } = delivering(failing(Infinity, AWAY), { stop: stop.signal });
  const ended = expect(delivery.deliver(recordsOf([reading(1)]))).rejects.toMatchObject({ name: 'AbortError' });
  await sleep(10);
  stop.abort();
  await ended;
  expect(sent).toHaveLength(1);
});

test('a dry run judges readings by the rules of the service', async () => {
  const answer: PushAnswer = await localJudge.push('hall', [
    reading(1),
    reading(1),
    { ...(reading(2) as object), unit: 'K' },
    { value: NaN },
  ]);
  expect(answer).toMatchObject({
    accepted: 2,
    duplicates: 1,
    refusedCount: 1,
    unknownFields: 1,
    unknownFieldNames: ['unit'],
  });
  expect(answer.refused).toEqual([
    { index: 3, pointer: '/3/sensorId', reason: 'bad-sensor-id', message: expect.any(String) as string },
  ]);
});

test('a batch is full unless a record is large or a pipe is slow', async () => {
  const records = recordsOf(many(9, (index) => reading(index)));
  const large = records.slice(4, 6).map((record) => ({ ...record, bytes: 3_000_000 }));
  async function* pages(): AsyncGenerator<readonly FileRecord[]> {
    yield records.slice(0, 4);
    yield large;
    yield records.slice(6, 7);
    await sleep(200);
    yield records.slice(7);
  }
  const lengths: number[] = [];
  for await (const batch of uploadBatches(pages(), { records: 3, lingerMs: 20 })) lengths.push(batch.length);
  expect(lengths).toEqual([3, 1, 1, 1, 1, 2]);
});
