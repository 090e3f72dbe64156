import { configInvalid } from '../core/errors.ts';
import type { BridgeError } from '../core/errors.ts';
import { argumentsOf, titleOf } from '../core/source/source-name.ts';
import type { SourceName } from '../core/source/source-name.ts';

/** `config-invalid`: no source has this name, in the organisation where one is given. */
export const unknownSource = ({
  name,
  organisation,
}: {
  name: string;
  organisation?: string | undefined;
}): BridgeError =>
  configInvalid(
    `there is no source ${name}${organisation === undefined ? '' : ` in organisation ${organisation}`}`,
    'databridge source list shows all sources',
    'source',
  );

/** `config-invalid`: the source is paused or stopped, and the operation needs an active one. */
export const inactiveSource = (source: SourceName, state: string): BridgeError =>
  configInvalid(`source ${titleOf(source)} is ${state}`, `databridge source resume ${argumentsOf(source)}`);
