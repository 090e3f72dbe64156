import { BridgeError } from '../../core/errors.ts';
import { referenceText } from '../../core/source/reference.ts';
import type { ReferringField } from '../../core/source/reference.ts';

/**
 * Adds to the remedy of refused credentials where their secret stands. A process keeps its environment until it ends, so a new
 * value in the shell of the operator reaches no worker.
 */
export function withReferenceRemedy(error: BridgeError, references: readonly ReferringField[]): BridgeError {
  const { fault, message, remedy, cause } = error;
  if (fault.code !== 'credentials-rejected' || fault.right || references.length === 0) return error;
  const told = references.map((field) => `${field.path} is ${referenceText(field.reference)}, ${readWhen(field)}`);
  return new BridgeError(fault, message, {
    remedy: [remedy?.replace(/\.$/, ''), ...told].filter(Boolean).join('; '),
    cause,
  });
}

/** When workers read a secret again that changed in its place. */
export const readWhen = ({ reference }: ReferringField): string =>
  reference.from === 'env'
    ? 'which a process takes from the environment it was started in: restart databridge up with the new value, or write ${file:/path} into the source, which is read again on each resume'
    : 'which is read again when the source is resumed';
