import { simulatedInfluxdb } from '../../adapters/platforms/influxdb/simulator.ts';
import { simulatedThingsboard } from '../../adapters/platforms/thingsboard/simulator.ts';
import { SECOND, fromMillis } from '../core/instant.ts';
import type { Instant, Microseconds } from '../core/instant.ts';
import type { Window } from '../core/window.ts';
import type { SimulatedProduct, SimulatedSeries } from '../simulator/contract.ts';
import type { SimulatedFault } from '../simulator/faults.ts';
import { deviceId } from '../simulator/plant.ts';
import { truePoints, visibleFromMs } from '../simulator/truth.ts';
import type { DeviceSpec, KeySpec, TruthSpec } from '../simulator/truth.ts';

/** A simulated plant, and what its source may ask of it. */
export interface Plant {
  /** The source has the same name. */
  readonly name: string;
  readonly product: SimulatedProduct;
  /** What the plant shows, in one line. */
  readonly about: string;
  readonly truth: TruthSpec;
  readonly faults: readonly SimulatedFault[];
  /** How often it is polled and how long its windows are at most, as a source writes it. */
  readonly every: string;
  readonly maxWindow: string;
  readonly requestsPerSecond: number;
}

/** The burst of a demo source. It is 1, because two requests sent at once and delayed by the machine would look like too many. */
export const BURST = 1;

/** A point that is at most `OVERLAP` late is found, at most a fourth of it after the point appeared. */
export const OVERLAP: Microseconds = 12 * SECOND;
export const FOUND_WITHIN: Microseconds = OVERLAP / 4;

/** The most requests a plant may see in any second. */
export const allowedInOneSecond = ({ requestsPerSecond }: Plant): number => BURST + requestsPerSecond;

/** A key of a device, and the series in which its readings are stored. */
export interface Signal extends SimulatedSeries {
  readonly deviceId: string;
  readonly key: string;
}

export const signalsOf = ({ truth, product }: Plant): Signal[] =>
  truth.devices.flatMap((device) =>
    device.keys.map((key) => ({ ...product.seriesOf(device, key), deviceId: device.id, key: key.name })),
  );

export interface Point {
  readonly at: Instant;
  readonly value: unknown;
  /** From when on the plant shows it: its own instant, or later. */
  readonly appearsAt: Instant;
}

/** Every point of a signal in a window, oldest first, whether or not the plant shows it yet. */
export function* pointsOf({ truth }: Plant, { deviceId: device, key }: Signal, window: Window): Generator<Point> {
  const stretch = { fromMs: Math.ceil(window.from / 1_000), toMs: window.to / 1_000 };
  for (const { ts, value } of truePoints(truth, device, key, stretch)) {
    yield { at: fromMillis(ts), value, appearsAt: fromMillis(visibleFromMs(truth, device, key, ts)) };
  }
}

/** A truth without a beginning, of which the plant shows the points up to now. */
const withoutBeginning = (devices: readonly DeviceSpec[]): TruthSpec => ({
  seed: 1,
  firstMs: 0,
  liveFromMs: 0,
  devices,
});

const wave = (name: string, everySeconds: number, shape: KeySpec['wave'] & {}): KeySpec => ({
  name,
  kind: 'number',
  everyMs: everySeconds * 1_000,
  wave: shape,
});

/** The keys of the n-th machine of a kind: it has a higher middle than the machine before it. */
const keysOfMachine = (keys: readonly KeySpec[], index: number): KeySpec[] =>
  keys.map((key) => (key.wave ? { ...key, wave: { ...key.wave, middle: key.wave.middle * (1 + index / 20) } } : key));

const machines = (measurement: string, names: readonly string[], keys: readonly KeySpec[]): DeviceSpec[] =>
  names.map((name, index) => ({ id: `${measurement},machine=${name}`, name, keys: keysOfMachine(keys, index) }));

const devices = (names: readonly string[], keys: readonly KeySpec[]): DeviceSpec[] =>
  names.map((name, index) => ({ id: deviceId(index), name, keys: keysOfMachine(keys, index) }));

const presses = ['press-1', 'press-2', 'press-3'];

/** The plants of the demo. With `lies` the first of them leaves points out and changes others. */
export const demoPlants = ({ lies }: { readonly lies: boolean }): readonly Plant[] => [
  {
    name: 'press-hall',
    product: simulatedInfluxdb,
    about: 'three presses, dense and dependable',
    truth: withoutBeginning([
      ...machines('motor', presses, [
        wave('current', 5, { middle: 41, swing: 6, ripple: 2.5 }),
        wave('vibration', 5, { middle: 3.2, swing: 0.6, ripple: 0.8 }),
      ]),
      ...machines('hydraulics', presses, [
        wave('pressure', 15, { middle: 182, swing: 9, ripple: 4 }),
        wave('oil_temperature', 15, { middle: 54, swing: 7, ripple: 0.4 }),
      ]),
    ]),
    faults: lies ? [{ kind: 'lie', every: 50 }] : [],
    every: '2s',
    maxWindow: '2h',
    requestsPerSecond: 5,
  },
  {
    name: 'cooling-water',
    product: simulatedThingsboard,
    about: 'two pumps and a tower, behind a login',
    truth: withoutBeginning(
      devices(
        ['pump-1', 'pump-2', 'tower'],
        [
          wave('flow', 10, { middle: 118, swing: 12, ripple: 3 }),
          wave('temperature', 10, { middle: 21, swing: 5, ripple: 0.2 }),
        ],
      ),
    ),
    faults: [],
    every: '3s',
    maxWindow: '4h',
    requestsPerSecond: 4,
  },
  {
    name: 'old-boiler',
    product: simulatedInfluxdb,
    about: 'overloaded: 503, 429, late points, odd values',
    truth: withoutBeginning(
      machines(
        'steam',
        ['boiler-1', 'boiler-2'],
        [
          { ...wave('pressure', 5, { middle: 11.6, swing: 0.4, ripple: 0.2 }), late: { share: 0.5, delayMs: 6_000 } },
          wave('temperature', 5, { middle: 190, swing: 3, ripple: 1 }),
          // Its rhythm differs from that of the other fields, so most rows have no alarm.
          { name: 'alarm', kind: 'text', everyMs: 300_000, words: ['door open', 'n/a', '42'] },
        ],
      ),
    ),
    faults: [
      { kind: 'status', status: 429, retryAfterSeconds: 2, everyNth: 29 },
      { kind: 'status', status: 503, everyNth: 13 },
    ],
    every: '2s',
    maxWindow: '2h',
    requestsPerSecond: 3,
  },
];
