import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import type { Keys } from '../../../src/access/keys.ts';
import type { StoredSealing } from '../../../src/access/stored-sealing.ts';
import { deliverAlerts } from '../../../src/alerts/deliver.ts';
import { applyObserved, takeTurn } from '../../../src/alerts/evaluate.ts';
import { alertObserverOf } from '../../../src/alerts/observe.ts';
import { senderOf } from '../../../src/alerts/target.ts';
import type { Database } from '../../../src/database/database.ts';
import { isDatabaseAway } from '../../../src/database/away.ts';
import { presenceOf } from '../../../src/database/presence.ts';
import { readSettings } from '../../../src/settings.ts';
import { refreshFreshness } from '../../../src/source/freshness.ts';
import { rulesOfOne, startWebhook, toldIn } from '../alerts-ground.ts';
import type { ModelTime } from '../model/time.ts';

/** A process that polls nothing and watches the bridge, as `serve` does, and the receiver of its messages. */
export interface Watch {
  /** Looks at the bridge, and sends what is to be told. */
  look(): Promise<void>;
  send(): Promise<void>;
  /** The receiver answers each message with 500 until told otherwise. */
  fail(fails: boolean): void;
  /** All that the receiver took, as `opened failing mill`, in order. */
  told(): string[];
  /** How many messages came while it failed. */
  refused(): number;
  close(): Promise<void>;
}

export async function startWatch(given: {
  readonly database: Database;
  readonly time: ModelTime;
  readonly keys: Keys;
  readonly sealing: StoredSealing;
}): Promise<Watch> {
  const { database, time } = given;
  const settings = readSettings({ DATABASE_URL: database.url });
  const webhook = await startWebhook();
  const rules = rulesOfOne(webhook.url);
  const workerId = randomUUID();
  await presenceOf(database, workerId, 'test', { polls: false }).beat();
  time.alive.add(workerId);
  const observe = alertObserverOf({ ...given, settings });
  const ground = {
    database,
    workerId,
    log: pino({ level: 'silent' }),
    send: senderOf({ egress: { allowHosts: undefined, proxy: undefined, hostPaces: new Map() } }),
    now: time.now,
  };
  let fails = false;
  let taken: typeof webhook.posts = [];
  webhook.answer = (response) => {
    const post = webhook.posts.at(-1);
    if (!fails && post !== undefined) taken = [...taken, post];
    response.writeHead(fails ? 500 : 200).end();
  };
  const whilePresent = async (work: () => Promise<void>): Promise<void> => {
    await work().catch((error: unknown) => {
      if (!isDatabaseAway(error)) throw error;
    });
  };
  return {
    look: () =>
      whilePresent(async () => {
        const turn = await takeTurn(database);
        if (turn === undefined) return;
        await refreshFreshness(database, 1_000);
        await applyObserved(database, turn, await observe(rules), rules);
      }),
    send: () => whilePresent(() => deliverAlerts(ground, rules.targets)),
    fail(wanted) {
      fails = wanted;
    },
    told: () => toldIn(taken),
    refused: () => webhook.posts.length - taken.length,
    async close() {
      time.alive.delete(workerId);
      await webhook.close();
    },
  };
}
