import type { SimulatedClock } from '../../../../src/simulator/clock.ts';
import { distort } from '../../../../src/simulator/distort.ts';
import { microsOf, millisOf } from '../../../../src/simulator/instants.ts';
import { visiblePoints } from '../../../../src/simulator/truth.ts';
import type { DeviceSpec, KeySpec, TruthSpec } from '../../../../src/simulator/truth.ts';
import { documentsOf } from './server.ts';
import type { InfluxData, SelectQuestion, WrittenSeries } from './server.ts';

const typeOfKind = { number: 'float', boolean: 'boolean', text: 'string', json: undefined } as const;

/** Measurement and tags of a series key without escapes, such as `motor,machine=press-1`. Throws on any other text. */
export function seriesOf(key: string): { measurement: string; tags: Record<string, string> } {
  if (!/^[\w -]+(?:,[\w -]+=[\w -]+)*$/.test(key)) throw new Error(`not a series key of the simulator: ${key}`);
  const [measurement = '', ...tags] = key.split(',');
  return { measurement, tags: Object.fromEntries(tags.map((tag) => tag.split('=') as [string, string])) };
}

/** The truth as the data of an InfluxDB: a device is a series, a key of it is a field. */
export class TruthData implements InfluxData {
  readonly seriesKeys: readonly string[];
  readonly #spec: TruthSpec;
  readonly #clock: SimulatedClock;

  constructor(spec: TruthSpec, clock: SimulatedClock) {
    this.#spec = spec;
    this.#clock = clock;
    this.seriesKeys = spec.devices.map(({ id }) => id).toSorted();
    for (const { id, keys } of spec.devices) {
      seriesOf(id);
      const objects = keys.find(({ kind }) => typeOfKind[kind] === undefined);
      if (objects) throw new Error(`InfluxDB cannot hold the values of ${id} ${objects.name}`);
    }
  }

  fieldsOf(measurement: string): [field: string, type: string][] {
    const keys = this.#devices(measurement).flatMap((device) => device.keys);
    const types = new Map(keys.map(({ name, kind }) => [name, typeOfKind[kind] ?? '']));
    return [...types].toSorted(([one], [other]) => (one < other ? -1 : 1));
  }

  select(question: SelectQuestion): Iterable<string> {
    const nowMs = this.#clock.nowMs();
    const fields = this.fieldsOf(question.measurement).map(([field]) => field);
    const series = this.#devices(question.measurement).map((device): WrittenSeries => {
      const { measurement: name, tags } = seriesOf(device.id);
      return { name, tags, columns: ['time', ...fields], values: this.#rows(device, fields, question, nowMs) };
    });
    return documentsOf(question.statement, series, question.rowsPerChunk);
  }

  /** A row holds every field of the measurement: null where the field has no point. */
  #rows(device: DeviceSpec, fields: readonly string[], question: SelectQuestion, nowMs: number): unknown[][] {
    const rows = new Map<number, unknown[]>();
    for (const key of device.keys) {
      const column = fields.indexOf(key.name) + 1;
      for (const { ts, value } of this.#points(device, key, question, nowMs)) {
        const row = rows.get(ts) ?? [microsOf({ ts }), ...fields.map(() => null)];
        row[column] = value;
        rows.set(ts, row);
      }
    }
    return [...rows].toSorted(([one], [other]) => one - other).map(([, row]) => row);
  }

  #points(device: DeviceSpec, key: KeySpec, { fromUs, toUs, effects }: SelectQuestion, nowMs: number) {
    const stretch = { fromMs: millisOf(fromUs), toMs: millisOf(toUs) };
    return distort([...visiblePoints(this.#spec, device.id, key.name, stretch, { nowMs })], effects, nowMs, 'ASC');
  }

  #devices(measurement: string): DeviceSpec[] {
    const devices = this.#spec.devices.filter(({ id }) => seriesOf(id).measurement === measurement);
    return devices.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  }
}
