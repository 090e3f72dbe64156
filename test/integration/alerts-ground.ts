import { createServer } from 'node:http';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { afterEach } from 'vitest';
import { deliverAlerts } from '../../src/alerts/deliver.ts';
import { applyObserved, takeTurn } from '../../src/alerts/evaluate.ts';
import { parseRules } from '../../src/alerts/rules.ts';
import type { AlertRules } from '../../src/alerts/rules.ts';
import { senderOf } from '../../src/alerts/target.ts';
import type { AlertKind, AlertTrouble } from '../../src/core/alert.ts';
import type { Database } from '../../src/database/database.ts';
import { presenceOf } from '../../src/database/presence.ts';
import type { TestDatabases } from '../kit/databases.ts';

/** What a webhook got. */
export interface Post {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly json: {
    readonly message: string;
    readonly text: string;
    readonly title: string;
    readonly more: number;
    readonly alerts: readonly { readonly change: string; readonly kind: string; readonly subject: string }[];
  };
}

export interface Webhook {
  readonly url: string;
  readonly posts: Post[];
  /** Answers from now on; the usual one is 200. */
  answer: (response: ServerResponse) => void;
  close(): Promise<void>;
}

/** A web server on a free port that keeps what is posted to it. */
export async function startWebhook(): Promise<Webhook> {
  const posts: Post[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const body = Buffer.concat(parts).toString();
      posts.push({ headers: request.headers, body, json: JSON.parse(body) as Post['json'] });
      webhook.answer(response);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const webhook: Webhook = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    posts,
    answer: (response) => response.end('ok'),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return webhook;
}

/** Each change that the posts told, as `opened behind hall-3`. */
export const toldIn = (posts: readonly Post[]): string[] =>
  posts.flatMap(({ json }) => json.alerts.map(({ change, kind, subject }) => `${change} ${kind} ${subject}`));

export const rulesIn = (file: unknown): AlertRules => parseRules('alerts.yaml', JSON.stringify(file));

export const trouble = (
  subject: string,
  kind: AlertKind = 'stopped',
  more: Partial<AlertTrouble> = {},
): AlertTrouble => ({
  kind,
  organisation: 'default',
  subject,
  severity: 'critical',
  what: `${subject} is ${kind}`,
  remedy: `databridge source show ${subject}`,
  ...more,
});

/** A process that watches alerts, whose looks and sends the test asks for. */
export async function watcher(database: Database, rules: AlertRules, allowHosts?: readonly string[]) {
  const workerId = randomUUID();
  const presence = presenceOf(database, workerId, 'test');
  await presence.beat();
  const send = senderOf({ egress: { allowHosts, proxy: undefined, hostPaces: new Map() } });
  const ground = { database, workerId, log: pino({ level: 'silent' }), send, now: () => Date.now() * 1000 };
  return {
    workerId,
    presence,
    /** Looks at once, as if the last look were a while ago. */
    async look(...troubles: readonly AlertTrouble[]) {
      await database.run(`update heartbeat set beat_at = beat_at - interval '1 minute' where name = 'alerts'`);
      const turn = await takeTurn(database);
      if (turn === undefined) throw new Error('it is not the turn of this process');
      return await applyObserved(database, turn, { troubles, unknown: new Set(), unjudgedFor: () => 0 }, rules);
    },
    send: () => deliverAlerts(ground, rules.targets),
  };
}

/** Lets this time pass for the alerts and their targets, by moving all that they noted into the past. */
export async function pass(database: Database, interval: string): Promise<void> {
  await database.run(
    `update alert set since = since - $1::interval, opened_at = opened_at - $1::interval, gone_at = gone_at - $1::interval,
       ended_at = ended_at - $1::interval, muted_until = muted_until - $1::interval`,
    [interval],
  );
  await database.run(
    'update alert_target set held_until = held_until - $1::interval, last_sent_at = last_sent_at - $1::interval',
    [interval],
  );
}

/** Webhooks that are closed after each test. */
export function useWebhooks(): { start(): Promise<Webhook> } {
  const started: Webhook[] = [];
  afterEach(async () => {
    for (const webhook of started.splice(0)) await webhook.close();
  });
  return {
    async start() {
      const webhook = await startWebhook();
      started.push(webhook);
      return webhook;
    },
  };
}

/** The rules with one target: a webhook. `secret` is the key of its signature. */
export const rulesOfOne = (url: string, { secret, ...more }: Record<string, unknown> = {}): AlertRules =>
  rulesIn({ targets: [{ name: 'ops', webhook: { url, ...(secret !== undefined && { secret }) }, ...more }] });

/** A database, a webhook and a process that tells it. */
export async function watchedBy(
  databases: TestDatabases,
  hooks: { start(): Promise<Webhook> },
  more: Record<string, unknown> = {},
) {
  const database = await databases.create();
  const webhook = await hooks.start();
  return { database, webhook, watch: await watcher(database, rulesOfOne(webhook.url, more)) };
}
