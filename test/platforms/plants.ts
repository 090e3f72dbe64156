import { deviceId } from '../../src/simulator/plant.ts';
import type { SimulatedProduct, SimulatedSeries } from '../../src/simulator/contract.ts';
import type { DeviceSpec, KeySpec } from '../../src/simulator/truth.ts';

/** The plant behind a platform: it has everything that the sample source of the platform chooses, and more. */
export interface Plant {
  readonly devices: readonly DeviceSpec[];
  /** Options of the simulator. */
  readonly simulator?: object;
  /** The names that the sample gives to a key, where they differ from those of the simulator; null where it leaves the key out. */
  readonly seriesOf?: (device: DeviceSpec, key: KeySpec) => Omit<SimulatedSeries, 'group'> | null | undefined;
}

interface KeyOf {
  (name: string, more?: Partial<KeySpec>): KeySpec;
}

const device = (id: string, keys: readonly KeySpec[], name = id): DeviceSpec => ({ id, name, keys });

/** Leaves out the devices whose name does not match. */
const only =
  (chosen: RegExp): NonNullable<Plant['seriesOf']> =>
  ({ name }) =>
    chosen.test(name) ? undefined : null;

/** The name of a value has letters, digits and underscores. */
const asValueNames: NonNullable<Plant['seriesOf']> = ({ id }, { name }) => ({
  sensorId: id,
  valueName: name.replaceAll(/\W/g, '_'),
});

/** A platform that is not listed has a sample that reads everything. */
const PLANTS: Readonly<Record<string, (key: KeyOf) => Plant>> = {
  'aveva-data-hub': (key) => ({
    devices: [
      device('PI_PISRV01_TURBINE1.SPEED', [key('Speed'), key('Setpoint')]),
      device('turbine-1-vibration', [key('x'), key('y')]),
      device('turbine-2-vibration', [key('x'), key('y')]),
    ],
    seriesOf: only(/TURBINE1|turbine-1/),
  }),
  canary: (key) => ({
    devices: [
      device('Plant.Line 1.Press', [key('Force'), key('Speed')]),
      device('Plant.Line 1.Oven', [key('Heat')]),
      device('Plant.Line 2.Press', [key('Force')]),
    ],
    seriesOf: only(/Line 1/),
  }),
  cognite: (key) => ({
    devices: [
      device('pump-1', [key('flow'), key('pressure')]),
      device('pump-2', [key('flow')]),
      device('fan-1', [key('speed')]),
    ],
    simulator: { projects: ['plant-north'] },
    seriesOf: only(/^pump/),
  }),
  everactive: (key) => ({
    devices: [
      device('00:00:00:00:00:00:00:01', [key('velocity.overall.axial'), key('velocity.max.axial')]),
      device('00:00:00:00:00:00:00:02', [key('pressure'), key('temperature[0]')]),
    ],
    seriesOf: asValueNames,
  }),
  influxdb: (key) => ({
    devices: [
      device('temperature,firmware=7,machine=press-1', [
        key('value'),
        key('alarm', { kind: 'boolean' }),
        key('note', { kind: 'text' }),
      ]),
      device('vibration,machine=press-1', [key('rms'), key('peak')]),
      device('pressure,machine=press-1', [key('value')]),
    ],
    seriesOf: ({ id }, { name, kind }) =>
      id.startsWith('pressure') || kind === 'text'
        ? null
        : { sensorId: id.replace('firmware=7,', ''), valueName: name },
  }),
  'insights-hub': (key) => ({
    devices: [
      device(deviceId(1), [key('vibration.x'), key('vibration.y'), key('temperature.t')]),
      device(deviceId(2), [key('vibration.x')]),
    ],
    seriesOf: (_, { name }) => (name.startsWith('vibration.') ? undefined : null),
  }),
  'pi-web-api': (key) => ({
    devices: [
      device(deviceId(1), [key('SPEED'), key('STATE', { states: ['Stopped', 'Running'] })], 'TURBINE1'),
      device(deviceId(2), [key('SPEED')], 'TURBINE2'),
    ],
    simulator: { scope: 'system' },
    seriesOf: only(/^TURBINE1$/),
  }),
  'skf-observer': (key) => ({
    devices: [
      device('1', [key('Speed'), key('Overall Axial')], 'Dryer/Drive side'),
      device('2', [key('Overall Axial'), key('Overall Radial')], 'Press/Roll'),
    ],
    seriesOf: asValueNames,
  }),
  thingsboard: (key) => ({
    devices: [
      device(deviceId(1), [key('temperature'), key('vibration'), key('pressure')], 'pump-1'),
      device(deviceId(2), [key('temperature')], 'pump-2'),
      device(deviceId(3), [key('temperature')], 'fan-1'),
    ],
    seriesOf: ({ id, name }, key) =>
      name.startsWith('pump') && key.name !== 'pressure' ? { sensorId: id, valueName: key.name } : null,
  }),
};

/** The plant of a platform, with a point of each key every `everyMs`. */
export function plantOf({ platform, deviceOf, keyNames = ['temperature'] }: SimulatedProduct, everyMs: number): Plant {
  const key: KeyOf = (name, more) => ({ name, kind: 'number', everyMs, ...more });
  const known = PLANTS[platform]?.(key);
  if (known !== undefined) return known;
  const named = (index: number) => deviceOf?.(index) ?? { id: deviceId(index), name: `pump-${index}` };
  return { devices: [1, 2].map((index) => ({ ...named(index), keys: keyNames.slice(0, 2).map((name) => key(name)) })) };
}
