import { SECOND } from '../core/instant.ts';
import type { Instant, Microseconds } from '../core/instant.ts';
import type { Window } from '../core/window.ts';
import { pointsOf } from './signal.ts';
import type { Point, Signal } from './signal.ts';

/** A simulated plant, and what its source may ask of it. */
export interface Plant {
  /** The source has the same name. */
  readonly name: string;
  readonly platform: 'influxdb' | 'thingsboard';
  readonly title: string;
  /** What there is to see, in one line. */
  readonly about: string;
  readonly signals: readonly Signal[];
  /** How often it is polled and how long its windows are at most, as a source writes it. */
  readonly every: string;
  readonly maxWindow: string;
  readonly requestsPerSecond: number;
  /** Sometimes answers 503, or 429 with a Retry-After. */
  readonly troubled: boolean;
  /** Leaves points out and changes others: for seeing that the summary notices. */
  readonly lies: boolean;
}

/** Requests that may follow each other at once. With one at a time, lateness on the way never makes two arrive too close. */
export const BURST = 1;

/** How late a point may be and still be found, and how long after it appeared that takes: a fourth of it at the most. */
export const OVERLAP: Microseconds = 12 * SECOND;
export const FOUND_WITHIN: Microseconds = OVERLAP / 4;

/** The most requests a plant may see in any second. */
export const allowedInOneSecond = ({ requestsPerSecond }: Plant): number => BURST + requestsPerSecond;

/** What the plant shows of a signal at `now`. */
export function* shownPoints(plant: Plant, signal: Signal, window: Window, now: Instant): Generator<Point> {
  for (const point of pointsOf(signal, window)) {
    if (point.appearsAt > now) continue;
    const lie = plant.lies ? (point.at / signal.every) % 1_000 : undefined;
    if (lie === 1) continue;
    yield lie === 2 && typeof point.value === 'number' ? { ...point, value: point.value + 1 } : point;
  }
}

type Shape = Pick<Signal, 'middle' | 'swing' | 'ripple'> & Partial<Pick<Signal, 'late' | 'words'>>;

/** All signals of one device or measurement, a sensor each with the same fields. */
const signals = (
  everySeconds: number,
  sensors: readonly Pick<Signal, 'group' | 'sensor'>[],
  fields: Readonly<Record<string, Shape>>,
  valueName: (group: string, field: string) => string,
): Signal[] =>
  sensors.flatMap(({ group, sensor }, index) =>
    Object.entries(fields).map(([field, shape]) => ({
      group,
      sensor,
      field,
      sensorId: sensor,
      valueName: valueName(group, field),
      every: everySeconds * SECOND,
      ...shape,
      // Machines of one kind are alike, not the same.
      middle: shape.middle * (1 + index / 20),
    })),
  );

const influx = (
  everySeconds: number,
  measurement: string,
  machines: readonly string[],
  fields: Record<string, Shape>,
) =>
  signals(
    everySeconds,
    machines.map((sensor) => ({ group: measurement, sensor })),
    fields,
    (group, field) => `${group}_${field}`,
  );

const deviceId = (index: number): string => `5eed0000-0000-4000-8000-${index.toString(16).padStart(12, '0')}`;

const thingsboard = (everySeconds: number, devices: readonly string[], fields: Record<string, Shape>) =>
  signals(
    everySeconds,
    devices.map((sensor, index) => ({ group: deviceId(index), sensor })),
    fields,
    (_, field) => field,
  );

const presses = ['press-1', 'press-2', 'press-3'];
const boilers = ['boiler-1', 'boiler-2'];

/** The plants of the demo. With `lies` one of them does. */
export const demoPlants = ({ lies }: { readonly lies: boolean }): readonly Plant[] => [
  {
    name: 'press-hall',
    platform: 'influxdb',
    title: 'InfluxDB',
    about: 'three presses, dense and dependable',
    signals: [
      ...influx(5, 'motor', presses, {
        current: { middle: 41, swing: 6, ripple: 2.5 },
        vibration: { middle: 3.2, swing: 0.6, ripple: 0.8 },
      }),
      ...influx(15, 'hydraulics', presses, {
        pressure: { middle: 182, swing: 9, ripple: 4 },
        oil_temperature: { middle: 54, swing: 7, ripple: 0.4 },
      }),
    ],
    every: '2s',
    maxWindow: '2h',
    requestsPerSecond: 5,
    troubled: false,
    lies,
  },
  {
    name: 'cooling-water',
    platform: 'thingsboard',
    title: 'ThingsBoard',
    about: 'two pumps and a tower, behind a login',
    signals: thingsboard(10, ['pump-1', 'pump-2', 'tower'], {
      flow: { middle: 118, swing: 12, ripple: 3 },
      temperature: { middle: 21, swing: 5, ripple: 0.2 },
    }),
    every: '3s',
    maxWindow: '4h',
    requestsPerSecond: 4,
    troubled: false,
    lies: false,
  },
  {
    name: 'old-boiler',
    platform: 'influxdb',
    title: 'InfluxDB',
    about: 'overloaded: 503, 429, late points, odd values',
    signals: [
      ...influx(5, 'steam', boilers, {
        pressure: { middle: 11.6, swing: 0.4, ripple: 0.2, late: { every: 2, by: 6 * SECOND } },
        temperature: { middle: 190, swing: 3, ripple: 1 },
      }),
      // Another rhythm of the same measurement: most rows have no alarm.
      ...influx(300, 'steam', boilers, {
        alarm: { middle: 0, swing: 0, ripple: 0, words: ['door open', 'n/a', '42'] },
      }),
    ],
    every: '2s',
    maxWindow: '2h',
    requestsPerSecond: 3,
    troubled: true,
    lies: false,
  },
];
