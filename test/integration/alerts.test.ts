import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { listAlerts, targetStates } from '../../src/alerts/alerts.ts';
import { unheardSources } from '../../src/alerts/unjudged.ts';
import type { Database } from '../../src/database/database.ts';
import { useDatabases } from '../kit/databases.ts';
import { storeSource } from '../kit/stored-source.ts';
import { pass, rulesIn, rulesOfOne, toldIn, trouble, useWebhooks, watchedBy, watcher } from './alerts-ground.ts';

// The table of alerts, its notices and a real webhook. Time passes by moving the rows into the past.

const databases = useDatabases();
const KEY = 'the key of the signature';

const hooks = useWebhooks();
const hook = hooks.start;
const ground = (more: Record<string, unknown> = {}) => watchedBy(databases, hooks, { secret: KEY, ...more });
const rulesFor = (url: string) => rulesOfOne(url, { secret: KEY });

const notices = (database: Database) =>
  database.rows('select change, sent_at is not null as sent from alert_notice order by noted_at, change desc');

describe('an alert', () => {
  it('is told once and ended once, and each message is signed', async () => {
    const { database, webhook, watch } = await ground();
    for (let looks = 0; looks < 3; looks += 1) {
      await watch.look(trouble('hall-3'));
      await watch.send();
    }
    expect(toldIn(webhook.posts)).toEqual(['opened stopped hall-3']);
    const [post] = webhook.posts;
    const [, seconds = '', signature] =
      /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(post?.headers['databridge-signature'])) ?? [];
    expect(createHmac('sha256', KEY).update(`${seconds}.${post?.body}`).digest('hex')).toBe(signature);
    expect(post?.json).toMatchObject({
      title: 'databridge: hall-3 stopped',
      message: post?.headers['databridge-message'],
    });
    expect(post?.json.text).toContain('try: databridge source show hall-3');

    await watch.look();
    await pass(database, '6 minutes');
    await watch.look();
    await watch.send();
    await watch.send();
    expect(toldIn(webhook.posts)).toEqual(['opened stopped hall-3', 'ended stopped hall-3']);
    expect(await notices(database)).toEqual([
      { change: 'opened', sent: true },
      { change: 'ended', sent: true },
    ]);
  });

  it('begins when its trouble lasts, and not before', async () => {
    const { database, webhook, watch } = await ground();
    await watch.look(trouble('hall-3', 'failing'));
    await pass(database, '10 minutes');
    await watch.look(trouble('hall-3', 'failing'));
    expect(await listAlerts(database, {}, 10)).toEqual([]);
    await pass(database, '6 minutes');
    await watch.look(trouble('hall-3', 'failing'));
    await watch.send();
    expect(toldIn(webhook.posts)).toEqual(['opened failing hall-3']);
    await watch.look(trouble('pit', 'failing'));
    await watch.look();
    await pass(database, '2 minutes');
    await watch.look();
    expect(await database.rows(`select subject from alert where ended_at is null`)).toEqual([{ subject: 'hall-3' }]);
  });

  it('that flaps is one alert, which says so', async () => {
    const { database, webhook, watch } = await ground();
    for (let turn = 0; turn < 20; turn += 1) {
      await watch.look(trouble('hall-3'));
      await watch.look();
      await pass(database, '4 minutes');
      await watch.send();
    }
    expect(toldIn(webhook.posts)).toEqual(['opened stopped hall-3']);
    expect((await listAlerts(database, {}, 10)).map(({ returns }) => returns)).toEqual([19]);
  });

  it('that comes and goes slowly tells less and less', async () => {
    const { database, webhook, watch } = await ground();
    for (let turn = 0; turn < 60; turn += 1) {
      await watch.look(trouble('hall-3'));
      await watch.send();
      await watch.look();
      await pass(database, '6 minutes');
      await watch.look();
      await pass(database, '6 minutes');
    }
    // 12 hours of a trouble that is away for 12 minutes at a time.
    expect(toldIn(webhook.posts).length).toBeLessThanOrEqual(5);
  });

  it('that becomes critical is told so, also to a target that gets critical ones only', async () => {
    const database = await databases.create();
    const [all, critical] = [await hook(), await hook()];
    const watch = await watcher(
      database,
      rulesIn({
        targets: [
          { name: 'all', webhook: { url: all.url } },
          { name: 'night', webhook: { url: critical.url }, severities: ['critical'] },
        ],
      }),
    );
    await watch.look(trouble('hall-3', 'stopped', { severity: 'warning' }));
    await watch.send();
    await pass(database, '2 minutes');
    await watch.look(trouble('hall-3'));
    await watch.send();
    expect(toldIn(all.posts)).toEqual(['opened stopped hall-3', 'worse stopped hall-3']);
    expect(toldIn(critical.posts)).toEqual(['opened stopped hall-3']);
  });

  it('of a kind that is switched off ends', async () => {
    const database = await databases.create();
    await (await watcher(database, rulesIn({ targets: [] }))).look(trouble('hall-3'));
    await (await watcher(database, rulesIn({ rules: { stopped: 'off' } }))).look(trouble('hall-3'));
    expect((await listAlerts(database, {}, 10)).map(({ endedAt }) => endedAt)).not.toContain(null);
  });
});

describe('a target', () => {
  it('gets many alerts in one message, at most one message a minute', async () => {
    const { database, webhook, watch } = await ground();
    const many = Array.from({ length: 140 }, (_, number) => trouble(`source-${number}`));
    await watch.look(trouble('first'));
    await watch.send();
    await watch.look(trouble('first'), ...many);
    await watch.send();
    expect(webhook.posts.length).toBe(1);
    await pass(database, '1 minute');
    await watch.send();
    expect(webhook.posts.length).toBe(2);
    expect(webhook.posts[1]?.json).toMatchObject({ title: 'databridge: 140 stopped', opened: 140, ended: 0, more: 40 });
    expect(webhook.posts[1]?.json.alerts.length).toBe(100);
    expect(webhook.posts[1]?.body.length).toBeLessThan(100_000);
    await pass(database, '1 hour');
    await watch.send();
    expect(webhook.posts.length).toBe(2);
  });

  it('hears of its organisations only, and the others of nothing', async () => {
    const { webhook, watch } = await ground({ organisations: ['north'] });
    await watch.look(
      trouble('a'),
      trouble('b', 'stopped', { organisation: 'north' }),
      trouble('bridge', 'planner', { organisation: null }),
    );
    await watch.send();
    expect(toldIn(webhook.posts)).toEqual(['opened stopped b']);
  });

  it('that answers 500 for a day gets one message with the begin and the end of all', async () => {
    const { database, webhook, watch } = await ground();
    webhook.answer = (response) => response.writeHead(500).end();
    await watch.look(trouble('hall-3'));
    await watch.send();
    await watch.send();
    expect(webhook.posts.length).toBe(1);
    let tries = 1;
    for (let hours = 0; hours < 24; hours += 1) {
      await pass(database, '1 hour');
      if (hours < 3) await watch.look(trouble('hall-3'), trouble('pit'));
      else await watch.look(trouble('pit'));
      await watch.send();
      tries += 1;
    }
    expect(webhook.posts.length).toBe(tries);
    expect(await targetStates(database)).toMatchObject([
      { name: 'ops', failures: 25, fault: { message: 'it answered 500' } },
    ]);
    webhook.posts.splice(0);
    webhook.answer = (response) => response.end();
    await pass(database, '1 hour');
    await watch.send();
    expect(toldIn(webhook.posts).toSorted()).toEqual([
      'ended stopped hall-3',
      'opened stopped hall-3',
      'opened stopped pit',
    ]);
    expect(await targetStates(database)).toMatchObject([{ failures: 0, fault: null, waiting: 0, told: 3 }]);
  });

  it('that hangs is given up, and gets the same message again, because nobody knows whether it arrived', async () => {
    const { database, webhook, watch } = await ground();
    webhook.answer = () => undefined;
    await watch.look(trouble('hall-3'));
    await watch.send();
    await watch.look(trouble('hall-3'), trouble('pit'));
    webhook.answer = (response) => response.end();
    await pass(database, '1 hour');
    await watch.send();
    await pass(database, '1 hour');
    await watch.send();
    const [first, second, third] = webhook.posts.map(({ json }) => json.message);
    expect(second).toBe(first);
    expect(third).not.toBe(first);
    expect(toldIn(webhook.posts.slice(1))).toEqual(['opened stopped hall-3', 'opened stopped pit']);
  });

  it('that redirects is not followed', async () => {
    const { database, webhook, watch } = await ground();
    const other = await hook();
    webhook.answer = (response) => response.writeHead(302, { location: other.url }).end();
    await watch.look(trouble('hall-3'));
    await watch.send();
    expect(other.posts).toEqual([]);
    expect(await targetStates(database)).toMatchObject([
      { fault: { message: 'it redirects, and no redirect is followed' }, waiting: 1 },
    ]);
  });

  it.each(['http://169.254.169.254/latest', 'http://[fd00:ec2::254]/'])('at %s is never asked', async (url) => {
    const database = await databases.create();
    const watch = await watcher(database, rulesFor(url));
    await watch.look(trouble('hall-3'));
    await watch.send();
    const [target] = await targetStates(database);
    expect(target?.fault?.message).toContain('always blocked');
  });

  it('outside of the allowed hosts is not asked', async () => {
    const database = await databases.create();
    const webhook = await hook();
    const watch = await watcher(database, rulesFor(webhook.url), ['plant.example']);
    await watch.look(trouble('hall-3'));
    await watch.send();
    expect(webhook.posts).toEqual([]);
    expect((await targetStates(database))[0]?.fault?.remedy).toContain('DATABRIDGE_EGRESS_HOSTS');
  });

  it('gets a message from one of two processes, also where the other one claims it at the same time', async () => {
    const { webhook, watch, database } = await ground();
    const other = await watcher(await databases.another(database), rulesFor(webhook.url));
    await watch.look(trouble('hall-3'));
    webhook.answer = (response) => setTimeout(() => response.end(), 300);
    await Promise.all([watch.send(), other.send()]);
    await Promise.all([watch.send(), other.send()]);
    expect(webhook.posts.length).toBe(1);
  });

  it('gets the same message from another process where the one that sent it was killed', async () => {
    const { webhook, watch, database } = await ground();
    const other = await watcher(database, rulesFor(webhook.url));
    await watch.look(trouble('hall-3'));
    // It dies after the post and before it notes that.
    webhook.answer = (response) => response.end();
    const real = database.run;
    (database as { run: typeof real }).run = (text, values) =>
      text.includes('with taken') ? Promise.reject(new Error('killed')) : real(text, values);
    await expect(watch.send()).rejects.toThrow('killed');
    (database as { run: typeof real }).run = real;
    await other.send();
    expect(webhook.posts.length).toBe(1);
    await database.run(`update worker set beat_at = now() - interval '1 minute' where id = $1`, [watch.workerId]);
    await other.send();
    expect(webhook.posts.map(({ json }) => json.message)).toEqual(Array(2).fill(webhook.posts[0]?.json.message));
    await pass(database, '1 hour');
    await other.send();
    expect(webhook.posts.length).toBe(2);
  });
});

it('of silence is unheard where a sensor has time that was not asked yet, and not where an operator paused the source', async () => {
  const { watch, database } = await ground();
  const { sourceId } = await storeSource(database, 'deaf');
  await database.run(
    `insert into freshness (source_id, looked_at, sensors, silent, never, period_at, known)
     values ($1, now(), 1, 0, 0, now(), '{"pump": [1, null, null, false]}')`,
    [sourceId],
  );
  await watch.look(trouble('deaf', 'silent'));
  expect([...(await unheardSources(database))]).toEqual(['deaf']);
  await database.run(`update source set state = 'paused'`);
  expect([...(await unheardSources(database))]).toEqual([]);
});
