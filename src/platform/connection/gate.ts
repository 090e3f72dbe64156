import type { BridgeError } from '../../core/errors.ts';

/** Closed for good once the credentials of a connection were refused: an account must never be locked (law 9). */
export interface Gate {
  /** Throws the refusal once there was one. */
  pass(): void;
  /** Remembers the first refusal and returns it. */
  close(refusal: BridgeError): BridgeError;
}

export function openGate(): Gate {
  let refusal: BridgeError | undefined;
  return {
    pass() {
      if (refusal) throw refusal;
    },
    close(error) {
      refusal ??= error;
      return refusal;
    },
  };
}
