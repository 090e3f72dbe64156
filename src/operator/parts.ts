import type { Logger } from 'pino';
import type { Settings } from '../settings.ts';
import type { BridgeAtHand } from '../source/registered.ts';

/** The parts of the process that routes of the operator API work with. */
export interface OperatorParts extends BridgeAtHand {
  readonly settings: Settings;
  readonly log: Logger;
}
