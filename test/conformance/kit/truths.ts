import { HOUR, MINUTE } from '../../../src/core/instant.ts';
import type { Instant } from '../../../src/core/instant.ts';
import type { Window } from '../../../src/core/window.ts';
import { deviceId } from '../../../src/simulator/plant.ts';
import { millisOf } from '../../../src/simulator/instants.ts';
import type { KeySpec, TruthPoint, TruthSpec } from '../../../src/simulator/truth.ts';
import type { Subject } from './subject.ts';

/** Noon of the first of 2026. The clocks of bridge and simulator stand a day later unless a rule moves them. */
export const NOON: Instant = Date.UTC(2026, 0, 1, 12) * 1000;
export const NOW: Instant = NOON + 24 * HOUR;

/** The window of most rules: ten minutes, or as long as the platform allows. */
export const windowOf = ({ platform: { facts } }: Subject): Window => {
  const length = Math.min(Math.max(10 * MINUTE, facts.minWindow), facts.maxWindow);
  return { from: NOON, to: NOON + length - (length % facts.resolution) };
};

/** A point whose value tells it from every other one. */
export const pointAt = (at: Instant, value: TruthPoint['value'], more: Partial<TruthPoint> = {}): TruthPoint => ({
  ts: millisOf(at),
  value,
  ...more,
});

/** Numbers at these instants, oldest first; 0 and negative ones are among them. */
export const numbersAt = (instants: readonly Instant[]): TruthPoint[] =>
  instants
    .toSorted((one, other) => one - other)
    .map((at, index) => pointAt(at, (index % 2 === 0 ? 1 : -1) * index * 0.5 + 0));

/** `count` instants with equal steps of whole ticks, from the start of the window on. */
export function spread({ platform: { facts } }: Subject, { from, to }: Window, count: number): Instant[] {
  const ticks = Math.floor((to - from) / facts.resolution);
  if (count > ticks) throw new Error(`${count} instants do not fit into the window`);
  const step = Math.floor(ticks / count);
  return Array.from({ length: count }, (_, index) => from + index * step * facts.resolution);
}

export interface KeyOfTruth extends Partial<KeySpec> {
  readonly listed: readonly TruthPoint[];
}

/** A plant whose only device has these keys, where the product can have all of them. */
export function deviceOfKeys(subject: Subject, keys: readonly (readonly TruthPoint[])[]): TruthSpec {
  const names = subject.product.keyNames ?? keys.map((_, index) => `temperature_${index}`);
  const { devices, ...truth } = truthOf(subject, [[]]);
  return {
    ...truth,
    devices: devices.map((device) => ({
      ...device,
      keys: keys
        .slice(0, names.length)
        .map((listed, index) => ({ name: names[index] ?? '', kind: 'number', everyMs: 3_600_000, listed })),
    })),
  };
}

/** A plant whose n-th device has one key with these points. A device without an entry has no points. */
export function truthOf(subject: Subject, keys: readonly (readonly TruthPoint[] | KeyOfTruth)[]): TruthSpec {
  const { product } = subject;
  const name = product.keyNames?.[0] ?? 'temperature';
  return {
    seed: 1,
    firstMs: 0,
    endMs: millisOf(NOON + 10_000 * HOUR),
    devices: keys.map((given, index) => {
      const listed = Array.isArray(given) ? { listed: given as readonly TruthPoint[] } : (given as KeyOfTruth);
      const device = product.deviceOf?.(index) ?? { id: deviceId(index), name: `pump-${index}` };
      return { ...device, keys: [{ name, kind: 'number', everyMs: 3_600_000, ...listed }] };
    }),
  };
}
