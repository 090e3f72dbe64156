import { z } from 'zod';
import type { SimulatedAnswer } from '../../../../src/simulator/contract.ts';
import { hash, type DeviceSpec, type KeySpec, type TruthSpec } from '../../../../src/simulator/truth.ts';

/** A time series of the product: a key of a device. */
export interface CogniteSeries {
  readonly device: DeviceSpec;
  readonly key: KeySpec;
  /** Up to 2^52, so that a client that keeps 32 bits fails. */
  readonly id: number;
  readonly externalId: string;
  readonly type: 'numeric' | 'string' | 'state';
}

export const externalIdOf = (device: DeviceSpec, key: KeySpec): string => `${device.id}/${key.name}`;

/** All series in the order of their creation. Throws on a truth that the product cannot hold. */
export function seriesOfTruth(truth: TruthSpec): CogniteSeries[] {
  return truth.devices.flatMap((device) =>
    device.keys.map((key): CogniteSeries => {
      const externalId = externalIdOf(device, key);
      const isFine = key.listed?.some(({ ts, finer }) => !Number.isInteger(ts) || finer);
      if (key.together || isFine) throw new Error(`Cognite holds one point a millisecond: ${externalId}`);
      return { device, key, id: longId(externalId), externalId, type: typeOf(key) };
    }),
  );
}

/** States and booleans are states; text and JSON are strings. */
function typeOf({ kind, states }: KeySpec): CogniteSeries['type'] {
  if (states !== undefined || kind === 'boolean') return 'state';
  return kind === 'number' ? 'numeric' : 'string';
}

const longId = (text: string): number => hash(0, text, 1) * 2 ** 20 + (hash(0, text, 2) % 2 ** 20);

/** What the product tells of a series; `createdTime` is in milliseconds since 1970. */
export function describe({ device, key, id, externalId, type }: CogniteSeries, createdTime: number) {
  return {
    id,
    externalId,
    name: `${device.name} ${key.name}`,
    isString: type === 'string',
    type,
    isStep: type !== 'numeric',
    assetId: longId(device.id),
    metadata: { device: device.name },
    createdTime,
    lastUpdatedTime: createdTime,
  };
}

/** A series by one of its two names. */
export const seriesIdentity = z.union([z.strictObject({ id: z.int() }), z.strictObject({ externalId: z.string() })]);
type Identity = z.output<typeof seriesIdentity>;

/** The series of the items, in their order, and the names that no series has. */
export function lookUp<Item extends Identity>(items: readonly Item[], all: readonly CogniteSeries[]) {
  const known = new Map<number | string, CogniteSeries>();
  for (const series of all) known.set(series.id, series).set(series.externalId, series);
  const seen = items.map((item) => ({ item, series: known.get('id' in item ? item.id : item.externalId) }));
  return {
    found: seen.flatMap(({ item, series }) => (series ? [{ item, series }] : [])),
    missing: seen.flatMap(({ item, series }) => (series ? [] : [nameOf(item)])),
  };
}

const nameOf = (item: Identity): Identity => ('id' in item ? { id: item.id } : { externalId: item.externalId });

/** The answer to a question that names unknown series. */
export const unknownSeries = (missing: readonly Identity[]): SimulatedAnswer => ({
  status: 400,
  body: JSON.stringify({ error: { code: 400, message: 'Time series not found', missing } }),
});
