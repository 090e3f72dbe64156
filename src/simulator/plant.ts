import type { DeviceSpec, KeySpec, TruthSpec } from './truth.ts';

const temperature: KeySpec = { name: 'temperature', kind: 'number', everyMs: 10_000, edges: true };
const pressure: KeySpec = { name: 'pressure', kind: 'number', everyMs: 60_000 };

/** 2,500 points within 2.5 s at ten minutes past every hour, and one a minute otherwise. */
const vibration: KeySpec = {
  name: 'vibration',
  kind: 'number',
  everyMs: 60_000,
  burst: { everyMs: 3_600_000, offsetMs: 600_000, lengthMs: 2_500, stepMs: 1 },
};

const pressKeys: readonly KeySpec[] = [
  temperature,
  pressure,
  vibration,
  { name: 'running', kind: 'boolean', everyMs: 60_000 },
  { name: 'state', kind: 'text', everyMs: 60_000 },
  { name: 'settings', kind: 'json', everyMs: 300_000 },
];

/** A UUID for the n-th device of a plant, counting from 0. */
export function deviceId(index: number): string {
  return `00000000-0000-4000-8000-${index.toString(16).padStart(12, '0')}`;
}

/**
 * A small plant: device 0 (`press-0`) has a key of every kind, the last device (`spare-…`) has none, the devices between
 * them (`pump-…`) have two numeric keys. By default it holds the first two days of 2026; `changes` replaces any part.
 */
export function plant(changes: Partial<TruthSpec> & { deviceCount?: number } = {}): TruthSpec {
  const { deviceCount = 5, ...rest } = changes;
  const firstMs = Date.UTC(2026, 0, 1);
  const ends = rest.liveFromMs === undefined ? { endMs: firstMs + 2 * 86_400_000 } : {};
  const devices = Array.from({ length: deviceCount }, (_, index) => device(index, deviceCount));
  return { seed: 1, firstMs, ...ends, devices, ...rest };
}

function device(index: number, count: number): DeviceSpec {
  const id = deviceId(index);
  if (index === 0) return { id, name: 'press-0', keys: pressKeys };
  if (index === count - 1) return { id, name: `spare-${index}`, keys: [] };
  return { id, name: `pump-${index}`, keys: [temperature, pressure] };
}
