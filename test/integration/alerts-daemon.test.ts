import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { useDatabases } from '../kit/databases.ts';
import { freePort } from '../kit/free-port.ts';
import { makeBridge } from '../kit/bridge.ts';
import type { BridgeUnderTest } from '../kit/bridge.ts';
import type { RunningProcess } from '../kit/process.ts';
import { makeTempDirectory } from '../kit/temp-directory.ts';
import { startWebhook, toldIn } from './alerts-ground.ts';
import type { Webhook } from './alerts-ground.ts';
import { Waiting, eventually } from './daemon-rig.ts';
import { thingsboard } from './plant-simulator.ts';

// Real processes: `up` watches, tells a webhook, is killed between the note and the answer, and two of them tell once.

const databases = useDatabases();
let webhook: Webhook;
let bridge: BridgeUnderTest;
let directory: { readonly path: string; remove(): Promise<void> };
let query: (text: string) => Promise<unknown>;
let close: () => Promise<void>;
const running: RunningProcess[] = [];

async function up(): Promise<RunningProcess> {
  const daemon = await bridge.up();
  running.push(daemon);
  return daemon;
}

const told = (what: string): Promise<true> =>
  eventually(
    what,
    () => toldIn(webhook.posts).includes(what) || new Waiting(webhook.posts.map(({ json }) => json.text)),
  );

beforeAll(async () => {
  webhook = await startWebhook();
  directory = await makeTempDirectory('alerts');
  const file = join(directory.path, 'alerts.yaml');
  const rules = { failing: { for: '0s', away: '1m' }, backup: 'off', behind: 'off', planner: 'off', disk: 'off' };
  const targets = [{ name: 'hook', webhook: { url: '${env:ALERT_HOOK}' } }];
  await writeFile(file, JSON.stringify({ rules, targets }));
  bridge = await makeBridge({
    DATABASE_URL: await databases.createMigrated(),
    DATABRIDGE_ALERTS: file,
    ALERT_HOOK: webhook.url,
  });
  const opened = await bridge.database();
  query = (text) => opened.client.query(text);
  close = opened.close;
  await bridge.succeed('project', 'create', 'hall');
});

afterAll(async () => {
  for (const daemon of running) if (daemon.running()) await daemon.stop(60_000);
  await close?.();
  await bridge?.remove();
  await directory?.remove();
  await webhook?.close();
});

/** One statement after the other, because a daemon locks the same rows in another order. */
async function quicker(): Promise<void> {
  await query(`update alert_target set last_sent_at = last_sent_at - interval '1 hour', held_until = null`);
  await query(`update alert set gone_at = gone_at - interval '1 hour'`);
}

it('a source that fails is told by a daemon, and to operators by doctor and list until one of them looks after it', async () => {
  await up();
  await bridge.apply(thingsboard('broken', `http://127.0.0.1:${await freePort()}`));
  await told('opened failing broken');
  const { alerts, targets } = JSON.parse(await bridge.succeed('alerts', 'list', '--json')) as {
    alerts: { id: number; kind: string }[];
    targets: unknown[];
  };
  expect(alerts).toMatchObject([{ kind: 'failing', subject: 'broken', severity: 'warning', state: 'open' }]);
  expect(targets).toMatchObject([{ name: 'hook', waiting: 0, told: 1, fault: null }]);
  const doctor = async () => (await bridge.answer('doctor')).stdout;
  expect(await doctor()).toContain('1 open alert that nobody looks after');
  await bridge.succeed('alerts', 'ack', 'failing', 'broken', '--note', 'the line is down');
  expect(await doctor()).toContain('none open');
  expect(await bridge.succeed('alerts', 'list')).toContain('the line is down');
  expect(await bridge.succeed('alerts', 'mute', String(alerts[0]?.id), '--for', '2h')).toContain('muted until');
  expect(await bridge.succeed('alerts', 'test')).toBe('✓ hook took it\n');
  expect((await bridge.answer('alerts', 'ack', 'failing', 'nobody')).stderr).toContain('there is no open alert');
});

it('what a killed process did not tell is told by two others, once', async () => {
  const [daemon] = running as [RunningProcess];
  webhook.answer = () => undefined;
  await quicker();
  webhook.posts.splice(0);
  await bridge.apply(thingsboard('second', `http://127.0.0.1:${await freePort()}`));
  await told('opened failing second');
  await daemon.kill9();
  const [{ json }] = webhook.posts as [Webhook['posts'][number]];
  webhook.answer = (response) => response.end();
  await Promise.all([up(), up()]);
  await eventually('it is sent again', () => webhook.posts.length > 1);
  expect(webhook.posts[1]?.json.message).toBe(json.message);
  await bridge.succeed('source', 'remove', 'second', '--yes');
  await bridge.succeed('source', 'remove', 'broken', '--yes');
  await eventually('both are ended', async () => {
    await quicker();
    return ['ended failing second', 'ended failing broken'].every((one) => toldIn(webhook.posts).includes(one));
  });
  const all = toldIn(webhook.posts.slice(1)).filter((one) => /second|broken/.test(one));
  expect(all.toSorted()).toEqual(['ended failing broken', 'ended failing second', 'opened failing second']);
});

it('no process starts with a file that has a fault, and its line is told', async () => {
  const other = await makeBridge({
    DATABASE_URL: String(bridge.settings['DATABASE_URL']),
    DATABRIDGE_ALERTS: join(directory.path, 'faulty.yaml'),
  });
  await writeFile(join(directory.path, 'faulty.yaml'), 'targets:\n  - name: hook\n    webhook: { url: geheim }\n');
  const { code, stderr } = await other.run('up');
  expect(code).toBe(2);
  expect(stderr).toMatch(/faulty\.yaml:3:16: targets\[0\]\.webhook\.url: is not an address/);
  expect(stderr).not.toContain('geheim');
  await other.remove();
});
