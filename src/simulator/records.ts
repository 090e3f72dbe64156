import type { AskedWindow } from './bounds.ts';
import { distort } from './distort.ts';
import type { PointEffect } from './faults.ts';
import { visiblePoints, type DeviceSpec, type Order, type TruthSpec } from './truth.ts';

/** The values of one device at one instant, by key: a row of a product that stores its measurements together. */
export interface TruthRecord {
  /** Milliseconds since 1970. */
  readonly ts: number;
  readonly values: ReadonlyMap<string, unknown>;
}

/**
 * The visible points of a device in a window, after the faults, as records in the given order. A key that has two points at
 * an instant gives two records.
 */
export function truthRecords(
  spec: TruthSpec,
  device: DeviceSpec,
  asked: AskedWindow,
  {
    nowMs,
    order,
    effects,
  }: { readonly nowMs: number; readonly order: Order; readonly effects: readonly PointEffect[] },
): TruthRecord[] {
  const records = new Map<string, { ts: number; values: Map<string, unknown> }>();
  for (const { name } of device.keys) {
    const points = [...visiblePoints(spec, device.id, name, asked, { nowMs, order })].filter(({ ts }) =>
      asked.holds(ts),
    );
    const seen = new Map<number, number>();
    for (const { ts, value } of distort(points, effects, nowMs, order)) {
      const nth = seen.get(ts) ?? 0;
      seen.set(ts, nth + 1);
      const record = records.get(`${ts} ${nth}`) ?? { ts, values: new Map() };
      records.set(`${ts} ${nth}`, record);
      record.values.set(name, value);
    }
  }
  // A fault that changes the order of points must not be mended here.
  if (effects.some(({ kind }) => kind === 'reorder')) return [...records.values()];
  const direction = order === 'ASC' ? 1 : -1;
  return [...records.values()].toSorted((one, other) => direction * (one.ts - other.ts));
}

/** The newest record that is visible by now. */
export function newestRecord(spec: TruthSpec, device: DeviceSpec, nowMs: number): TruthRecord | undefined {
  const dayMs = 86_400_000;
  for (let toMs = Math.min(nowMs + 1, spec.endMs ?? Infinity); toMs > spec.firstMs; toMs -= dayMs) {
    const day = { fromMs: toMs - dayMs, toMs, holds: () => true };
    const [newest] = truthRecords(spec, device, day, { nowMs, order: 'DESC', effects: [] });
    if (newest) return newest;
  }
  return undefined;
}
