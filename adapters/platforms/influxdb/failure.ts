import { BridgeError, configInvalid, contractBroken, rightMissing, tooMuch } from '../../../src/core/errors.ts';
import type { Unreachable } from '../../../src/core/errors.ts';
import type { InfluxOptions } from './options.ts';
import { quoteName } from './query.ts';

/** Gone for now: asked again later. */
export const busyForNow = (message: string, why: Unreachable, cause?: unknown): BridgeError =>
  new BridgeError({ code: 'unavailable', why }, message, { cause });

// Texts of influxdb 1.x: query/executor.go, query/select.go, tsdb/shard.go, tsdb/store.go, tsdb/engine/tsm1/engine.go.
const TOO_LARGE = /^max-select-(?:series|points?|buckets?) limit|^query-timeout limit exceeded/;
const FOR_NOW =
  /^(?:max-concurrent-queries limit|query (?:interrupted|aborted|killed|engine shutdown)|not executed|timeout|engine[: ]|shard |store is closed|database is closed)/;

/** What InfluxDB says in an `error`, which it does inside an HTTP 200, as the error the bridge acts upon. */
export function influxFailure(said: string, names: Pick<InfluxOptions, 'database' | 'retentionPolicy'>): BridgeError {
  const message = `InfluxDB: ${said.slice(0, 500)}`;
  if (said.startsWith('database not found')) return unknownDatabase(names.database);
  if (said.startsWith('retention policy not found')) return unknownPolicy(names.retentionPolicy);
  if (said.startsWith('error authorizing query')) return notAuthorised(said, names);
  if (TOO_LARGE.test(said)) return tooMuch(message);
  if (FOR_NOW.test(said)) return busyForNow(message, 'status');
  return contractBroken(message, said);
}

/** HTTP 403. InfluxDB says it for a database that is not there, too: who may not read may not know. */
export function notAuthorised(said: string, { database }: Pick<InfluxOptions, 'database'>): BridgeError {
  if (said.includes('create admin user first')) {
    const remedy = `CREATE USER "admin" WITH PASSWORD '…' WITH ALL PRIVILEGES: authentication is on, but nobody exists yet.`;
    return rightMissing('InfluxDB has no administrator yet', remedy);
  }
  const user = /^error authorizing query: (.*) not authorized to execute/su.exec(said)?.[1];
  const grant = `GRANT READ ON ${quoteName(database)} TO ${user === undefined ? 'the user' : quoteName(user)}`;
  return rightMissing(
    `InfluxDB does not let ${user === undefined ? 'the user' : JSON.stringify(user)} read ${JSON.stringify(database)}`,
    `As an administrator: ${grant}. Check the name too (SHOW DATABASES): one that does not exist is answered alike.`,
  );
}

const unknownDatabase = (database: string): BridgeError =>
  configInvalid(
    `InfluxDB has no database ${JSON.stringify(database)}`,
    'Correct options.database; SHOW DATABASES lists what there is. Upper and lower case differ.',
    'options.database',
  );

/** `there`: the policies the database has, where they are known. */
export const unknownPolicy = (policy: string | undefined, there?: readonly string[]): BridgeError =>
  configInvalid(
    policy === undefined
      ? 'the database has no default retention policy'
      : `no retention policy ${JSON.stringify(policy)}`,
    there === undefined
      ? 'Correct options.retentionPolicy; SHOW RETENTION POLICIES lists what there is.'
      : `Set options.retentionPolicy to one of: ${there.join(', ')}.`,
    'options.retentionPolicy',
  );
