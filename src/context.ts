import type { Client } from 'pg';
import type { Logger } from 'pino';
import { openKeys } from './access/keys.ts';
import type { Keys } from './access/keys.ts';
import { sealingOf } from './access/stored-sealing.ts';
import type { StoredSealing } from './access/stored-sealing.ts';
import { BridgeError } from './core/errors.ts';
import { MILLISECOND } from './core/instant.ts';
import { clockOf } from './database/clock.ts';
import type { SharedClock } from './database/clock.ts';
import { connect, openDatabase } from './database/database.ts';
import type { ArchivePlace } from './database/archive-place.ts';
import type { Database } from './database/database.ts';
import { readSettings } from './settings.ts';
import type { Settings } from './settings.ts';
import { openLog } from './telemetry/log.ts';

/** The open database of a bridge, as most commands use it. It loads no platform and nothing of the poll path. */
export interface Context {
  readonly settings: Settings;
  readonly log: Logger;
  readonly database: Database;
  readonly keys: Keys;
  /** Verified by commands that need it; `seal` verifies it always. */
  readonly sealing: StoredSealing;
  readonly clock: SharedClock;
  close(): Promise<void>;
}

export interface ContextOptions {
  /** Wait for a database that is away (daemons) instead of failing at once (commands a person waits for). */
  readonly patient?: boolean;
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
export async function openContext(options: ContextOptions = {}): Promise<Context> {
  const settings = options.settings ?? readSettings(process.env);
  const log = options.log ?? (await openLog(settings.logLevel, process.stderr.isTTY));
  if (settings.databaseUrl === undefined && options.mayCreate !== true) await assertBridge(settings.home);
  const embedded = settings.databaseUrl === undefined ? await embeddedDatabase(settings.home, log) : undefined;
  try {
    const database = await openDatabase({
      url: embedded?.url ?? (settings.databaseUrl as string),
      poolSize: settings.poolSize,
      applicationName: 'databridge',
      archive: archivePlaceOf(settings.archive),
      patient: options.patient ?? false,
      onWaiting: (reason) => {
        log.warn({ reason }, 'the database is away; waiting for it');
      },
      onMigration: (step) => {
        if (step.step === 'waits') log.info('another process brings the database forward; waiting for it');
        else log.info(`bringing the database forward: ${step.name} (${step.number} of ${step.of})`);
      },
      ...(options.signal && { signal: options.signal }),
    });
    const keys = await openKeys(settings);
    const clock = await clockOf(database, { mostDifference: settings.clockDifferenceMs * MILLISECOND });
    return {
      settings,
      log,
      database,
      keys,
      sealing: sealingOf(database, keys),
      clock,
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

/** The archive as the database knows it. The secret of a bucket is read, with the code for it, when something is read or written there. */
function archivePlaceOf(archive: Settings['archive']): ArchivePlace | undefined {
  if (archive?.bucket === undefined) return archive && { directory: archive.directory, after: archive.after };
  const { secret } = archive.bucket;
  const read = async (): Promise<string> => {
    const [{ resolveSecrets }, { secretPlaces }] = await Promise.all([
      import('./access/secret-reference.ts'),
      import('./access/secret-places.ts'),
    ]);
    return (await resolveSecrets({ DATABRIDGE_ARCHIVE_SECRET: secret }, secretPlaces())).DATABRIDGE_ARCHIVE_SECRET;
  };
  return { ...archive, bucket: { ...archive.bucket, secret: read } };
}

/** Opens the context, runs a command with it and closes it, also after an error. */
export async function withContext<T>(work: (context: Context) => Promise<T>, options?: ContextOptions): Promise<T> {
  const context = await openContext(options);
  try {
    return await work(context);
  } catch (error) {
    const { outdated } = context.database;
    throw outdated.aborted ? outdated.reason : error;
  } finally {
    await context.close();
  }
}

/**
 * Runs a command on one connection to a database that may be empty, and in which nothing is made. An embedded one is begun, and
 * removed where the work fails.
 */
export async function withConnection<T>(settings: Settings, work: (client: Client) => Promise<T>): Promise<T> {
  const { hasEmbeddedDatabase, urlOfRunning } = await import('./database/running.ts');
  const isNew = settings.databaseUrl === undefined && !hasEmbeddedDatabase(settings.home);
  try {
    return await onConnection(settings, work);
  } catch (error) {
    // It stays where another process has begun to use it meanwhile.
    if (isNew && hasEmbeddedDatabase(settings.home) && urlOfRunning(settings.home) === undefined) {
      const { removeEmbeddedDatabase } = await import('./database/embedded/remove.ts');
      await removeEmbeddedDatabase(settings.home);
    }
    throw error;
  }
}

async function onConnection<T>(settings: Settings, work: (client: Client) => Promise<T>): Promise<T> {
  const log = await openLog(settings.logLevel, process.stderr.isTTY);
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

async function assertBridge(home: string): Promise<void> {
  const { hasEmbeddedDatabase } = await import('./database/running.ts');
  if (hasEmbeddedDatabase(home)) return;
  throw new BridgeError({ code: 'config-invalid' }, `there is no bridge at ${home}`, {
    remedy:
      'set DATABRIDGE_HOME to the directory that holds it, or DATABASE_URL to its database; project create, source apply and up make a new one',
  });
}

async function embeddedDatabase(home: string, log: Logger): Promise<{ url: string; release(): Promise<void> }> {
  const { EmbeddedDatabaseError, openEmbeddedDatabase } = await import('./database/embedded/index.ts');
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
