import type { Credentials } from '../contract.ts';

/** A value of a strategy: one for all sources, or made from the connection and the options of the source. */
export type SourceValue<T, O> = T | ((credentials: Credentials, options: O) => T);

export const valueOf = <T extends string | object, O>(
  value: SourceValue<T | undefined, O> | undefined,
  credentials: Credentials,
  options: O,
): T | undefined =>
  typeof value === 'function' ? (value as (credentials: Credentials, options: O) => T)(credentials, options) : value;
