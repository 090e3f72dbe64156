import { configInvalid } from '../core/errors.ts';
import type { BridgeError } from '../core/errors.ts';

/** `config-invalid`: no source has this name. */
export const unknownSource = (name: string): BridgeError =>
  configInvalid(`there is no source ${name}`, 'databridge source list shows all sources', 'source');

/** `config-invalid`: the source is paused or stopped, and the operation needs an active one. */
export const inactiveSource = (name: string, state: string): BridgeError =>
  configInvalid(`source ${name} is ${state}`, `databridge source resume ${name}`);
