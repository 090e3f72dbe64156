import type { BridgeError } from '../../../src/core/errors.ts';

/** One point cannot be read; others may be. */
export class PointFault extends Error {
  readonly failed: BridgeError;

  constructor(failed: BridgeError) {
    super(failed.message);
    this.failed = failed;
  }
}
