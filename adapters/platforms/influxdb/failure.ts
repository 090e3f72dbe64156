import { BridgeError, configInvalid, contractBroken, rightMissing, tooMuch } from '../../../src/core/errors.ts';
import type { Unreachable } from '../../../src/core/errors.ts';
import type { InfluxOptions } from './options.ts';
import { quoteName } from './query.ts';

/** InfluxDB cannot answer at the moment: the bridge asks again later. */
export const busyForNow = (message: string, why: Unreachable, cause?: unknown): BridgeError =>
  new BridgeError({ code: 'unavailable', why }, message, { cause });

// Texts of influxdb 1.x: query/executor.go, query/select.go, tsdb/shard.go, tsdb/store.go, tsdb/engine/tsm1/engine.go.
const TOO_LARGE = /^max-select-(?:series|points?|buckets?) limit|^query-timeout limit exceeded/;
const FOR_NOW =
  /^(?:max-concurrent-queries limit|query (?:interrupted|aborted|killed|engine shutdown)|not executed|timeout|engine[: ]|shard |store is closed|database is closed)/;

/** The BridgeError for an `error` of InfluxDB, which it sends inside an HTTP 200. */
export function influxFailure(said: string, names: Pick<InfluxOptions, 'database' | 'retentionPolicy'>): BridgeError {
  const message = `InfluxDB: ${said.slice(0, 500)}`;
  if (said.startsWith('database not found')) return unknownDatabase(names.database);
  if (said.startsWith('retention policy not found')) return unknownPolicy(names.retentionPolicy);
  if (said.startsWith('error authorizing query')) return notAuthorised(said, names);
  if (TOO_LARGE.test(said)) return tooMuch(message);
  if (FOR_NOW.test(said)) return busyForNow(message, 'status');
  return contractBroken(message, said);
}

/** HTTP 403. InfluxDB also answers it for a database that does not exist, where the user is not an administrator. */
export function notAuthorised(said: string, { database }: Pick<InfluxOptions, 'database'>): BridgeError {
  if (said.includes('create admin user first')) {
    const remedy = `CREATE USER "admin" WITH PASSWORD '…' WITH ALL PRIVILEGES: authentication is on, but there is no user yet`;
    return rightMissing('InfluxDB has no administrator yet', remedy);
  }
  const user = /^error authorizing query: (.*) not authorized to execute/su.exec(said)?.[1];
  const grant = `GRANT READ ON ${quoteName(database)} TO ${user === undefined ? 'the user' : quoteName(user)}`;
  return rightMissing(
    `InfluxDB does not let ${user === undefined ? 'the user' : JSON.stringify(user)} read ${JSON.stringify(database)}`,
    `As an administrator: ${grant}. Check the name, too (SHOW DATABASES): for one that does not exist InfluxDB answers the same.`,
  );
}

const unknownDatabase = (database: string): BridgeError =>
  configInvalid(
    `InfluxDB has no database ${JSON.stringify(database)}`,
    'Correct options.database; SHOW DATABASES lists the databases. Upper and lower case differ.',
    'options.database',
  );

/** `existing`: the policies of the database, where they are known. */
export const unknownPolicy = (policy: string | undefined, existing?: readonly string[]): BridgeError =>
  configInvalid(
    policy === undefined
      ? 'the database has no default retention policy'
      : `no retention policy ${JSON.stringify(policy)}`,
    existing === undefined
      ? 'Correct options.retentionPolicy; SHOW RETENTION POLICIES lists the policies.'
      : `Set options.retentionPolicy to one of: ${existing.join(', ')}.`,
    'options.retentionPolicy',
  );
