import { contractBroken } from '../../../src/core/errors.ts';
import type { BridgeError } from '../../../src/core/errors.ts';
import { parseInstant } from '../../../src/core/instant.ts';
import type { Instant } from '../../../src/core/instant.ts';
import type { Quality } from '../../../src/core/quality.ts';
import { State, state } from '../../../src/core/samples.ts';
import type { Samples } from '../../../src/platform/contract.ts';
import { PointFault } from './point-fault.ts';
import { PI_VARIABLE } from './points.ts';

/** A recorded value of a point. */
export interface PiValue {
  readonly at: Instant;
  readonly value: unknown;
  readonly quality: Quality;
}

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * The items of a stream as values, in their order. A loop, because an answer may hold 150,000 of them. `contract-broken`: an
 * item that the documentation does not allow. A `PointFault`: an item with `Errors`, because the server then failed to read it.
 */
export function valuesOf(name: string, items: readonly unknown[]): PiValue[] {
  return items.map((item) => {
    if (!isObject(item)) throw broken(name, 'an item that is no object', item);
    const { Timestamp, Good, Questionable, Substituted, Errors } = item;
    if (Array.isArray(Errors) && Errors.length > 0)
      throw new PointFault(broken(name, `the server failed to read the value at ${String(Timestamp)}`, item));
    const at = typeof Timestamp === 'string' ? parseInstant(Timestamp) : undefined;
    if (at === undefined) throw broken(name, 'an item without a time', item);
    if (!('Value' in item)) throw broken(name, 'an item without a value', item);
    if (typeof Good !== 'boolean' || typeof Questionable !== 'boolean' || typeof Substituted !== 'boolean')
      throw broken(name, 'an item without its three flags', item);
    const value = valueOf(item['Value']);
    // A system state is never `Good`. Where the operator maps it to a number, the number is meant as a good one.
    const isBad = !Good && !(value instanceof State);
    return { at, value, quality: isBad ? 'Bad' : Questionable ? 'Questionable' : Substituted ? 'Substituted' : 'Good' };
  });
}

/** A digital state, or one of the system such as "I/O Timeout": `{Name, Value, IsSystem}`. */
function valueOf(given: unknown): unknown {
  if (!isObject(given) || typeof given['Name'] !== 'string') return given;
  const code = given['Value'];
  return state(given['Name'], typeof code === 'number' ? code : undefined);
}

const broken = (name: string, fault: string, item: unknown): BridgeError =>
  contractBroken(`values of ${name}: ${fault}`, JSON.stringify(item)?.slice(0, 2_000));

/** Values as columns; most of them are all good. */
export function samplesOf(sensor: string, values: readonly PiValue[]): Samples {
  return {
    sensor,
    variable: PI_VARIABLE,
    at: values.map(({ at }) => at),
    values: values.map(({ value }) => value),
    quality: values.every(({ quality }) => quality === 'Good') ? 'Good' : values.map(({ quality }) => quality),
  };
}
