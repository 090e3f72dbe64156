import type { TruthRecord } from '../../../../src/simulator/records.ts';
import { hash, type DeviceSpec } from '../../../../src/simulator/truth.ts';

interface Json {
  [name: string]: unknown;
}

/** The place of a key in a reading: the names of keys are those under which a bridge would list the values. */
const places: readonly (readonly [name: RegExp, place: string])[] = [
  [/^(velocity|acceleration)\.overall\.(axial|radial|tangential)$/, 'vibrationalMeasurements.$1.overallLevels.$2'],
  [/^(velocity|acceleration)\.max\.(axial|radial|tangential)$/, 'vibrationalMeasurements.$1.maxLevels.$2'],
  [/^(temperature|humidity)\[(\d+)\]$/, '$1Measurements[$2]'],
  [/^pressure$/, 'pressureMeasurement'],
  [/^movement\.([xyz])$/, 'movementMeasurement.initialAcceleration.$1'],
  [/^electricalField\.max$/, 'electricalFieldMeasurements.maxLevel'],
];

/** Throws on a key for which a reading has no place. */
export function placeInReading(key: string): string {
  const found = places.find(([name]) => name.test(key));
  if (found === undefined) throw new Error(`a reading of Everactive has no place for ${key}`);
  return key.replace(...found);
}

export const isVibration = ({ keys }: DeviceSpec): boolean => keys.some(({ name }) => /^(veloc|accel)/.test(name));

/** A reading as the product writes it: around the values stand words, spectra and numbers that are no values. */
export function readingOf(device: DeviceSpec, { ts, values }: TruthRecord, gatewaySerialNumber: string): Json {
  const timestamp = Math.floor(ts / 1000);
  const schema = isVibration(device) ? 'vibration-electrical' : 'environmental';
  const reading: Json = {
    macAddress: device.id,
    timestamp,
    readingDate: new Date(timestamp * 1000).toISOString().replace('.000', ''),
    schema: `https://evr.ac/schemas/platform/eversensor/${schema}/v1/reading`,
    schemaVersion: 'v1',
    gatewaySerialNumber,
    packetNumberGateway: hash(0, gatewaySerialNumber, ts) % 65_536,
    packetNumberEversensor: timestamp % 256,
    rssiUplink: -50,
    scap: 4.1,
    vcap: 4.2,
    // About one in eight was sent because of an event.
    unsolicited: hash(0, 'unsolicited', timestamp) % 8 === 0,
  };
  for (const [key, value] of values) put(reading, placeInReading(key), value);
  const vibration = (reading['vibrationalMeasurements'] ?? {}) as Partial<Record<string, Json>>;
  const spectrum = [{ frequency: 60, magnitude: 40 }];
  const configuration = { sampleRate: 3200, sampleCount: 4096 };
  describe(vibration['velocity'], 'mm/s', { spectralPeaks: { axial: spectrum } }, configuration);
  describe(vibration['acceleration'], 'mg', {}, configuration);
  // The product writes this name in another style than the one above.
  describe(reading['electricalFieldMeasurements'] as Json | undefined, 'micro-teslas', { spectral_peaks: spectrum });
  return reading;
}

function describe(part: Json | undefined, units: string, spectra: Json, configuration: Json = {}): void {
  if (part !== undefined) Object.assign(part, spectra, { configurationMetadata: { units, ...configuration } });
}

function put(reading: Json, place: string, value: unknown): void {
  const [, list, index] = /^(\w+)\[(\d+)\]$/.exec(place) ?? [];
  if (list !== undefined) {
    reading[list] = [...((reading[list] as unknown[] | undefined) ?? []), { sensorIndex: Number(index), value }];
    return;
  }
  const names = place.split('.');
  const last = names.pop() ?? '';
  names.reduce<Json>((part, name) => (part[name] ??= {}) as Json, reading)[last] = value;
}
