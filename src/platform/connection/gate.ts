import type { BridgeError } from '../../core/errors.ts';

/** Closes for good once the platform refused the credentials, because more attempts could lock the account (law 9). */
export interface Gate {
  /** Throws the remembered refusal, where there is one. */
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
