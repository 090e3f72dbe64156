import type { Logger } from 'pino';
import type { Keys } from '../access/keys.ts';
import type { SharedAttempts } from '../api/shared-attempts.ts';
import type { Settings } from '../settings.ts';
import type { BridgeAtHand } from '../source/registered.ts';
import type { Metrics } from '../telemetry/metrics.ts';

/** The parts of the process that routes of the operator API work with. */
export interface OperatorParts extends BridgeAtHand {
  readonly settings: Settings;
  /** The sealing keys that this process has. */
  readonly keys: Keys;
  readonly log: Logger;
  /** The counters of this process; undefined where it is not monitored, and then it serves no `/metrics`. */
  readonly metrics?: Metrics | undefined;
}

/** The parts of a server, whose processes count attempts together. */
export interface ServerParts extends OperatorParts {
  readonly attempts: SharedAttempts;
}
