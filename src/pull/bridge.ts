import type { Logger } from 'pino';
import type { Sealing } from '../access/sealing.ts';
import type { SharedClock } from '../database/clock.ts';
import type { Database } from '../database/database.ts';
import type { Partitions } from '../database/partitions.ts';
import type { PrepareReadings } from '../ingest/prepare.ts';
import type { JobPlace } from '../queue/places.ts';
import type { Settings } from '../settings.ts';
import type { Claims } from './claim.ts';
import type { Commits } from './commit.ts';
import type { PullMeters } from './meters.ts';
import type { KeepNames } from './sensors/series-names.ts';
import type { SourceCache } from './open/source-cache.ts';

/** Everything the poll path works with. A process opens it once, and gives each job a copy with the place of that job. */
export interface Bridge {
  readonly settings: Settings;
  readonly database: Database;
  readonly partitions: Partitions;
  readonly clock: SharedClock;
  readonly sealing: Sealing;
  readonly prepareReadings: PrepareReadings;
  readonly sources: SourceCache;
  readonly claims: Claims;
  readonly commits: Commits;
  readonly keepNames: KeepNames;
  /** The identity under which this process claims sources and streams. */
  readonly workerId: string;
  readonly log: Logger;
  /** Undefined where the process is not monitored. */
  readonly meters?: PullMeters | undefined;
  /** The place of the job that works with it; a command has none. */
  readonly place?: JobPlace | undefined;
}
