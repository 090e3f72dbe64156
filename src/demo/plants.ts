import { allPlatforms } from '../../adapters/index.ts';
import { simulators } from '../../adapters/simulators.ts';
import { formatDuration } from '../core/duration.ts';
import { HOUR, SECOND, fromMillis } from '../core/instant.ts';
import type { Instant, Microseconds } from '../core/instant.ts';
import type { Window } from '../core/window.ts';
import type { KindName } from '../platform/contract.ts';
import type { SimulatedProduct, SimulatedSeries } from '../simulator/contract.ts';
import type { SimulatedFault } from '../simulator/faults.ts';
import { deviceId } from '../simulator/plant.ts';
import { truePoints, visibleFromMs } from '../simulator/truth.ts';
import type { DeviceSpec, KeySpec, TruthSpec } from '../simulator/truth.ts';

const platforms = await allPlatforms();

/** A simulated plant, and what its source may ask of it. */
export interface Plant {
  /** Its platform and its source have the same name. */
  readonly name: string;
  readonly product: SimulatedProduct;
  /** The credentials that its operator hands over. */
  readonly kind: KindName;
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
  /** The plant shows the point from this instant on: its own, or a later one. */
  readonly appearsAt: Instant;
}

/** Every point of a signal in a window, oldest first, whether or not the plant shows it yet. */
export function* pointsOf({ truth }: Plant, { deviceId: device, key }: Signal, window: Window): Generator<Point> {
  const stretch = { fromMs: Math.ceil(window.from / 1_000), toMs: window.to / 1_000 };
  for (const { ts, value } of truePoints(truth, device, key, stretch)) {
    yield { at: fromMillis(ts), value, appearsAt: fromMillis(visibleFromMs(truth, device, key, ts)) };
  }
}

/** A way in which a plant behaves; the plants take turns. */
interface Scene {
  readonly about: string;
  readonly everySeconds: number;
  readonly late?: KeySpec['late'] & {};
  readonly faults?: readonly SimulatedFault[];
}

const SCENES: readonly Scene[] = [
  { about: 'dense, dependable', everySeconds: 5 },
  { about: 'late points', everySeconds: 10, late: { share: 0.5, delayMs: 6_000 } },
  {
    about: 'busy: 503 and 429',
    everySeconds: 10,
    faults: [
      { kind: 'status', status: 429, retryAfterSeconds: 2, everyNth: 17 },
      { kind: 'status', status: 503, everyNth: 7 },
    ],
  },
];

const MACHINES = 2;

/** The variables of a machine: two numbers, or one where the product has only one; in a late scene texts, too, where the product holds them. */
function keysOf({ keyNames = ['flow', 'temperature'], holds = [] }: SimulatedProduct, scene: Scene): KeySpec[] {
  const everyMs = scene.everySeconds * 1_000;
  const late = scene.late && { late: scene.late };
  const numbers = keyNames.slice(0, 2).map((name, place): KeySpec => {
    const middle = 100 / (place + 1);
    return { name, kind: 'number', everyMs, wave: { middle, swing: middle / 10, ripple: middle / 40 }, ...late };
  });
  if (!hasOddValues({ holds }, scene)) return numbers;
  return [...numbers, { name: 'alarm', kind: 'text', everyMs: 300_000, words: ['door open', 'n/a', '42'] }];
}

const hasOddValues = ({ holds }: Pick<SimulatedProduct, 'holds'>, { late }: Scene): boolean =>
  late !== undefined && holds?.includes('text') === true;

/** Two plants never have a machine with the same name, because their readings go to the same project. */
function machinesOf(product: SimulatedProduct, plant: number, keys: readonly KeySpec[]): DeviceSpec[] {
  return Array.from({ length: MACHINES }, (_, machine) => {
    const index = plant * 10 + machine + 1;
    return { ...(product.deviceOf?.(index) ?? { id: deviceId(index), name: `machine-${index}` }), keys };
  });
}

/** A plant for each platform of the registry. With `lies` the first of them leaves points out and changes others. */
export const demoPlants = ({ lies }: { readonly lies: boolean }): readonly Plant[] =>
  platforms.flatMap(({ name, kinds, facts }, index) => {
    const product = simulators.find(({ platform }) => platform === name);
    const scene = SCENES[index % SCENES.length];
    const [kind] = Object.keys(kinds) as KindName[];
    if (product === undefined || scene === undefined || kind === undefined) return [];
    const devices = machinesOf(product, index, keysOf(product, scene));
    return {
      name,
      product,
      kind,
      about: hasOddValues(product, scene) ? `${scene.about}, texts` : scene.about,
      // Without a beginning; the plant shows the points up to now.
      truth: { seed: 1, firstMs: 0, liveFromMs: 0, devices },
      faults: lies && index === 0 ? [{ kind: 'lie', every: 50 }] : (scene.faults ?? []),
      every: '3s',
      maxWindow: formatDuration(Math.min(2 * HOUR, facts.maxWindow)),
      requestsPerSecond: 3,
    };
  });
