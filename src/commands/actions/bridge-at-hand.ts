import { hasKey, openKeys } from '../../access/keys.ts';
import type { Keys } from '../../access/keys.ts';
import { sealingOf } from '../../access/stored-sealing.ts';
import { registryFor } from '../../context-registry.ts';
import { withContext } from '../../context.ts';
import { clockOf } from '../../database/clock.ts';
import { connect, openDatabase } from '../../database/database.ts';
import type { Database } from '../../database/database.ts';
import { hasThisSchema } from '../../database/migrate.ts';
import { urlOfRunning } from '../../database/running.ts';
import type { Settings } from '../../settings.ts';
import { commandPresence } from '../../source/command-presence.ts';
import type { BridgeAtHand } from '../../source/registered.ts';
import { VERSION } from '../../version.ts';

/** The bridge that a command shares pace and accounts with, or the reason why there is none. */
export type AtHand = { readonly bridge: BridgeAtHand } | { readonly bridge?: undefined; readonly why: string };

const NAME = 'databridge';

/**
 * Runs a command that asks platforms, beside the workers of the bridge where one is at hand: that of DATABASE_URL, or one whose
 * embedded database runs. Starts, makes and migrates nothing. `work` gets the reason where no bridge is at hand.
 */
export async function besideWorkers<T>(settings: Settings, work: (atHand: AtHand) => Promise<T>): Promise<T> {
  const url = settings.databaseUrl ?? urlOfRunning(settings.home);
  if (url === undefined) return await work({ why: 'no bridge runs here' });
  // Only the key of the bridge tells which account a source has. Without the key this would make a new one.
  if (!(await hasKey(settings))) return await work({ why: 'the key of the bridge is not here' });
  const database = await currentDatabase(url);
  if (typeof database === 'string') return await work({ why: database });
  try {
    const keys = await openKeys(settings);
    const sealing = sealingOf(database, keys);
    await sealing.verify();
    const parts = { database, keys, sealing, clock: await clockOf(database), registry: registryFor(settings) };
    return await present(parts, (bridge) => work({ bridge }));
  } finally {
    await database.close();
  }
}

/** Runs a command on a registered source. Starts the embedded database of the bridge where it does not run. */
export async function onBridge<T>(settings: Settings, work: (bridge: BridgeAtHand) => Promise<T>): Promise<T> {
  return await withContext(
    async (context) => {
      await context.sealing.verify();
      return await present({ ...context, registry: registryFor(settings) }, work);
    },
    { settings },
  );
}

async function present<T>(
  parts: Omit<BridgeAtHand, 'workerId'> & { readonly keys: Keys },
  work: (bridge: BridgeAtHand) => Promise<T>,
): Promise<T> {
  const { bridge, leave } = await commandPresence(parts, { version: VERSION, kids: () => parts.keys.kids() });
  try {
    return await work(bridge);
  } finally {
    await leave();
  }
}

/** The database, where it is that of this version and answers; otherwise the reason. */
async function currentDatabase(url: string): Promise<Database | string> {
  const place = { url, applicationName: NAME, patient: false };
  try {
    const client = await connect(place);
    let current: boolean;
    try {
      current = await hasThisSchema(client);
    } finally {
      await client.end();
    }
    if (!current) return 'the database is that of another version of databridge';
    return await openDatabase({ ...place, poolSize: 2 });
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
