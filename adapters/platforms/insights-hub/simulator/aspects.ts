import type { DeviceSpec, KeySpec } from '../../../../src/simulator/truth.ts';

/** Variables that share records. */
export interface Aspect {
  readonly name: string;
  readonly keys: readonly { readonly key: KeySpec; readonly variable: string }[];
}

/** The product's identifiers are 32 hexadecimal digits: the UUID of the device without its hyphens. */
export function assetIdOf({ id }: DeviceSpec): string {
  const assetId = id.replaceAll('-', '');
  if (!/^[\da-f]{32}$/.test(assetId)) throw new Error(`a device of Insights Hub has a UUID: ${id}`);
  return assetId;
}

/** `acceleration.x` is the variable `x` of the aspect `acceleration`; a key without a dot belongs to the aspect `data`. */
export function aspectsOf({ id, keys }: DeviceSpec): Aspect[] {
  const fine = keys.find(
    ({ together, listed }) => together || listed?.some(({ ts, finer }) => !Number.isInteger(ts) || finer),
  );
  if (fine) throw new Error(`Insights Hub holds one record a millisecond: ${id} ${fine.name}`);
  const names = [...new Set(keys.map(({ name }) => aspectOf(name)))];
  return names.map((name) => ({
    name,
    keys: keys.filter((key) => aspectOf(key.name) === name).map((key) => ({ key, variable: variableOf(key).name })),
  }));
}

const aspectOf = (key: string): string => (key.includes('.') ? key.slice(0, key.indexOf('.')) : 'data');

const types = { number: 'DOUBLE', boolean: 'BOOLEAN', text: 'STRING', json: 'BIG_STRING' } as const;

/** A variable as the list of aspects shows it. It has quality codes where its points differ in quality. */
export function variableOf({ name, kind, states, qualities, listed }: KeySpec) {
  return {
    name: name.slice(name.indexOf('.') + 1),
    dataType: states === undefined ? types[kind] : 'STRING',
    unit: '',
    qualityCode: qualities !== undefined || (listed?.some(({ quality }) => quality !== undefined) ?? false),
  };
}
