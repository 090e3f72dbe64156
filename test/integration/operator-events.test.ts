import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { revokeOperatorToken } from '../../src/access/operator-tokens.ts';
import { audit } from '../../src/access/audit.ts';
import type { Database } from '../../src/database/database.ts';
import { eventsAfter, presentPosition } from '../../src/source/events.ts';
import type { EventPosition } from '../../src/source/events.ts';
import { useDatabases } from '../kit/databases.ts';
import { storeSource } from '../kit/stored-source.ts';
import { startOperatorApi } from './operator-rig.ts';
import type { OperatorApiUnderTest, SignedIn } from './operator-rig.ts';

// Operators watch what changes. Other processes write the changes, here by the same database.

const databases = useDatabases();
let api: OperatorApiUnderTest;
let database: Database;
let viewer: SignedIn;
let north: SignedIn;

beforeAll(async () => {
  database = await databases.create();
  api = await startOperatorApi(database);
  viewer = await api.operator('vera', 'viewer');
  north = await api.operator('nora', 'viewer', ['north']);
});

afterAll(async () => {
  await api?.close();
});

beforeEach(async () => {
  // A stream also tells the events of before that a transaction of another test, on this server, still holds back.
  while (await database.row('select from event where xact >= pg_snapshot_xmin(pg_current_snapshot())')) await sleep(20);
});

interface Message {
  readonly id: string;
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A stream of events under way. */
interface Watching {
  /** The next messages, without `progress`, until one fulfils the condition. */
  until(condition: (message: Message) => boolean): Promise<readonly Message[]>;
  close(): void;
}

async function watch(as: SignedIn, lastEventId?: string): Promise<Watching> {
  const leaving = new AbortController();
  const answer = await fetch(`${api.url}/api/v1/events`, {
    headers: {
      authorization: `Bearer ${as.token}`,
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
    },
    signal: leaving.signal,
  });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toMatch(/^text\/event-stream/);
  // A body that nobody reads yet is cancelled when its answer is collected as garbage. One that is piped is not.
  const messages = messagesIn(answer.body?.pipeThrough(new TextDecoderStream()) ?? new ReadableStream());
  return {
    async until(condition) {
      const read: Message[] = [];
      for (;;) {
        const { value, done } = await messages.next();
        if (done) return read;
        if (value.event === 'progress') continue;
        read.push(value);
        if (condition(value)) return read;
      }
    },
    close: () => leaving.abort(),
  };
}

async function* messagesIn(body: AsyncIterable<string>): AsyncGenerator<Message> {
  let text = '';
  for await (const chunk of body) {
    text += chunk;
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const fields = new Map(
        text
          .slice(0, end)
          .split('\n')
          .map((line) => [line.slice(0, line.indexOf(': ')), line.slice(line.indexOf(': ') + 2)] as const),
      );
      text = text.slice(end + 2);
      const data = fields.get('data');
      if (data === undefined) continue;
      yield {
        id: fields.get('id') ?? '',
        event: fields.get('event') ?? '',
        data: JSON.parse(data) as Message['data'],
      };
    }
  }
}

const note = (subject: string, organisation?: string): Promise<void> =>
  database.transaction((client) => audit(client, 'test', 'test.noted', subject, { organisation }));

const isNote =
  (subject: string) =>
  ({ event, data }: Message): boolean =>
    event === 'audit' && data['action'] === 'test.noted' && data['subject'] === subject;

const subjects = (messages: readonly Message[]): readonly unknown[] =>
  messages.filter(({ data }) => data['action'] === 'test.noted').map(({ data }) => data['subject']);

describe('events', () => {
  it('tell the state and the faults of sources, and backfills', async () => {
    const watching = await watch(viewer);
    expect(await watching.until(({ event }) => event === 'begin')).toHaveLength(1);
    const { sourceId } = await storeSource(database);
    const fault = { code: 'unavailable', message: 'no answer', page: 'PRIVATE' };
    const fail = (message: string) =>
      database.run('update source set failures = failures + 1, last_fault = $2 where id = $1', [
        sourceId,
        JSON.stringify({ ...fault, message }),
      ]);
    await fail('no answer');
    // It goes on failing for the same reason, which is no event.
    await fail('no answer in 5 s');
    await database.run('update source set held_until = now() where id = $1', [sourceId]);
    await database.run(`update source set state = 'paused' where id = $1`, [sourceId]);
    await database.run(
      `insert into backfill (source_id, from_at, to_at, what, requested_by) values ($1, 'epoch', now(), 'missing', 'test')`,
      [sourceId],
    );
    await database.run(`update backfill set state = 'cancelled'`);
    await database.run('delete from source where id = $1', [sourceId]);
    const told = await watching.until(({ data }) => data['change'] === 'removed');
    watching.close();
    expect(
      told.map(({ event, data: { change, state, fault: its } }) => [event, change ?? state, its ?? null] as const),
    ).toEqual([
      ['source', 'created', null],
      ['source', 'changed', { code: 'unavailable', message: 'no answer' }],
      ['source', 'changed', { code: 'unavailable', message: 'no answer in 5 s' }],
      ['backfill', 'running', null],
      ['backfill', 'cancelled', null],
      ['source', 'removed', null],
    ]);
    expect(told[0]?.data).toMatchObject({ organisation: 'default', subject: 'source' });
  });

  it('go on where they ended, without loss or repetition', async () => {
    const first = await watch(viewer);
    await first.until(({ event }) => event === 'begin');
    await note('one');
    await note('two');
    const seen = [...(await first.until(isNote('one')))];
    first.close();
    await note('while away');
    const second = await watch(viewer, seen.at(-1)?.id);
    await note('three');
    seen.push(...(await second.until(isNote('three'))));
    second.close();
    expect(subjects(seen)).toEqual(['one', 'two', 'while away', 'three']);
    expect(seen.filter(({ event }) => event === 'reset')).toEqual([]);
  });

  it('more than are read at once are told to each of many streams, once and in their order', async () => {
    const most = Array.from({ length: 450 }, (_, at) => `n${at}`);
    const streams = await Promise.all([viewer, viewer, viewer].map((one) => watch(one)));
    for (const one of streams) await one.until(({ event }) => event === 'begin');
    await note('before');
    const first = await Promise.all(streams.map((one) => one.until(isNote('before'))));
    await database.run(
      `insert into audit (actor, action, subject, detail) select 'test', 'test.noted', subject, '{}' from unnest($1::text[]) as subject`,
      [most],
    );
    await note('after');
    for (const [at, one] of streams.entries()) {
      expect(subjects([...(first[at] ?? []), ...(await one.until(isNote('after')))])).toEqual([
        'before',
        ...most,
        'after',
      ]);
      one.close();
    }
  });

  it('wait for a transaction that began earlier, because its events come before them', async () => {
    const begin = await presentPosition(database);
    const told = async (after = begin) =>
      (await eventsAfter(database, after, { organisations: undefined, limit: 10 })).map(
        ({ content }) => content['subject'],
      );
    const late = await database.pool.connect();
    let between: EventPosition;
    try {
      await late.query('begin');
      await audit(late, 'test', 'test.noted', 'late', {});
      await note('early');
      between = await presentPosition(database);
      expect(await told()).toEqual([]);
      await late.query('commit');
    } finally {
      // A transaction that stayed open would let the end of this file wait for its connection.
      await late.query('rollback');
      late.release();
    }
    // Transactions of other databases of the server hold events back, too.
    await expect.poll(() => told()).toEqual(['late', 'early']);
    expect(await told(between)).toEqual(['late', 'early']);
  });

  it.each([
    ['nonsense', 'nonsense'],
    ['one of another database', '00000000-1-1-9999999999'],
    ['one that is too old', 'OLD'],
    ['one that lies ahead', 'AHEAD'],
  ])('begin anew behind %s', async (_, id) => {
    const row = await database.row<{ epoch: string }>('select epoch from event_epoch');
    const now = Math.floor(Date.now() / 1000);
    const sent = { OLD: `${row?.epoch}-1-1-1`, AHEAD: `${row?.epoch}-999999999999-1-${now}` }[id] ?? id;
    const watching = await watch(viewer, sent);
    expect((await watching.until(() => true))[0]).toMatchObject({ event: 'reset' });
    watching.close();
  });

  it('of other organisations, and of none, are not told to operators of one', async () => {
    const watching = await watch(north);
    await watching.until(({ event }) => event === 'begin');
    await note('of default', 'default');
    await note('of no organisation');
    await note('of the north', 'north');
    expect(subjects(await watching.until(isNote('of the north')))).toEqual(['of the north']);
    watching.close();
  });

  it('end with the token', async () => {
    const leaver = await api.operator('lea', 'viewer');
    const watching = await watch(leaver);
    await revokeOperatorToken(database, leaver.tokenId, 'test');
    const told = await watching.until(() => false);
    expect(told.at(-1)).toMatchObject({ event: 'end' });
  });

  it('are open to one operator a few times', async () => {
    const many = await api.operator('max', 'viewer');
    const open: Awaited<ReturnType<typeof watch>>[] = [];
    for (let at = 0; at < 7; at += 1) {
      const one = await watch(many);
      await one.until(({ event }) => event === 'begin');
      open.push(one);
    }
    expect((await open[0]?.until(({ event }) => event === 'end'))?.at(-1)).toMatchObject({ event: 'end' });
    await note('for max');
    for (const one of open.slice(1)) await one.until(isNote('for max'));
    for (const one of open) one.close();
  });

  it('end when the server stops', async () => {
    const other = await startOperatorApi(database);
    const answer = await fetch(`${other.url}/api/v1/events`, { headers: { authorization: `Bearer ${viewer.token}` } });
    await other.close();
    expect(await answer.text()).toContain('event: begin');
  });
});
