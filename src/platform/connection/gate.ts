import type { BridgeError } from '../../core/errors.ts';

/** Closes for good once the platform refused the credentials, because more attempts could lock the account (law 9). */
export class Gate {
  #refusal: BridgeError | undefined;

  /** Throws the remembered refusal, where there is one. */
  pass(): void {
    if (this.#refusal) throw this.#refusal;
  }

  /** Remembers the first refusal and returns it. */
  close(refusal: BridgeError): BridgeError {
    return (this.#refusal ??= refusal);
  }
}
