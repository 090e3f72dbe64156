import { randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import type { Logger } from 'pino';
import { kinds, platforms } from '../adapters/index.ts';
import { openSealing } from './access/sealing.ts';
import { BridgeError } from './core/errors.ts';
import { MILLISECOND } from './core/instant.ts';
import { clockOf } from './database/clock.ts';
import { connect, openDatabase } from './database/database.ts';
import { EmbeddedDatabaseError, openEmbeddedDatabase } from './database/embedded/index.ts';
import { hasEmbeddedDatabase } from './database/running.ts';
import { partitionsOf } from './database/partitions.ts';
import { readingPreparer } from './ingest/prepare.ts';
import { adaptersIn } from './loader.ts';
import type { Registry } from './platform/contract.ts';
import type { Bridge } from './pull/bridge.ts';
import { claimsOf } from './pull/claim.ts';
import { sourceCacheOf } from './pull/source-cache.ts';
import { sourceOpener } from './pull/open-source.ts';
import { readSettings } from './settings.ts';
import type { Settings } from './settings.ts';
import { openLog } from './telemetry/log.ts';

/** Without adapters, for work that needs the platforms of this build alone. */
export const registry: Registry = { platforms, kinds };

/** The registry with the adapters that the operator of the bridge allows. */
export const registryFor = ({ adapters }: Pick<Settings, 'adapters'>): Registry =>
  adapters === undefined ? registry : { ...registry, adapters: adaptersIn(adapters) };

/** The bridge with an open database, as a command uses it. */
export interface Context extends Bridge {
  close(): Promise<void>;
}

export interface ContextOptions {
  /** Wait for a database that is away (daemons) instead of failing at once (commands a person waits for). */
  readonly patient: boolean;
  /**
   * Makes a new bridge where the settings directory holds none. Without it that is an error, because an empty bridge would
   * look like the bridge of an operator who is in the wrong directory, or whose disk is not mounted.
   */
  readonly mayCreate?: boolean;
  readonly signal?: AbortSignal;
  readonly settings?: Settings;
  readonly log?: Logger;
}

/** Opens the database (embedded, or that of DATABASE_URL) and the parts of the bridge that use it. */
export async function openContext(options: ContextOptions): Promise<Context> {
  const settings = options.settings ?? readSettings(process.env);
  const log = options.log ?? openLog(settings.logLevel, process.stderr.isTTY);
  if (settings.databaseUrl === undefined && options.mayCreate !== true) assertBridge(settings.home);
  const embedded = settings.databaseUrl === undefined ? await embeddedDatabase(settings.home, log) : undefined;
  try {
    const database = await openDatabase({
      url: embedded?.url ?? (settings.databaseUrl as string),
      poolSize: settings.poolSize,
      applicationName: 'databridge',
      patient: options.patient,
      onWaiting: (reason) => {
        log.warn({ reason }, 'the database is away; waiting for it');
      },
      ...(options.signal && { signal: options.signal }),
    });
    const sealing = await openSealing(settings.home, settings.sealingKey);
    const clock = await clockOf(database, { mostDifference: settings.clockDifferenceMs * MILLISECOND });
    const workerId = randomUUID();
    const sources = sourceCacheOf(
      sourceOpener({ database, sealing, clock, registry: registryFor(settings), workerId, ...settings.egress }),
    );
    database.memory.onForget(() => {
      sources.forget();
      log.warn('the database was replaced by an older state of it; nothing remembered of it is used any more');
    });
    return {
      settings,
      log,
      database,
      sealing,
      clock,
      workerId,
      partitions: partitionsOf(database),
      prepareReadings: readingPreparer(database),
      sources,
      claims: claimsOf({ database, workerId, sources }),
      async close() {
        await database.close();
        await embedded?.release();
      },
    };
  } catch (error) {
    await embedded?.release();
    throw error;
  }
}

/** Opens the context, runs a command with it and closes it, also after an error. */
export async function withContext<T>(options: ContextOptions, work: (context: Context) => Promise<T>): Promise<T> {
  const context = await openContext(options);
  try {
    return await work(context);
  } finally {
    await context.close();
  }
}

/** Runs a command on one connection to a database that may be empty, and in which nothing is made. An embedded one is begun. */
export async function withConnection<T>(settings: Settings, work: (client: Client) => Promise<T>): Promise<T> {
  const log = openLog(settings.logLevel, process.stderr.isTTY);
  const embedded = settings.databaseUrl === undefined ? await embeddedDatabase(settings.home, log) : undefined;
  try {
    const url = embedded?.url ?? (settings.databaseUrl as string);
    const client = await connect({ url, applicationName: 'databridge', patient: false });
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  } finally {
    await embedded?.release();
  }
}

function assertBridge(home: string): void {
  if (hasEmbeddedDatabase(home)) return;
  throw new BridgeError({ code: 'config-invalid' }, `there is no bridge at ${home}`, {
    remedy:
      'set DATABRIDGE_HOME to the directory that holds it, or DATABASE_URL to its database; project create, source apply and up make a new one',
  });
}

async function embeddedDatabase(home: string, log: Logger): Promise<{ url: string; release(): Promise<void> }> {
  try {
    const report = (message: string): void => {
      log.debug(message);
    };
    return await openEmbeddedDatabase({ directory: home, log: report });
  } catch (error) {
    if (!(error instanceof EmbeddedDatabaseError)) throw error;
    throw new BridgeError({ code: 'config-invalid' }, error.message, { remedy: error.remedy, cause: error });
  }
}
