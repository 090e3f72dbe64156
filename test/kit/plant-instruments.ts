import type { Cadence } from './plant-times.ts';
import type { Point } from './point.ts';

/** One kind of measuring device: each unit of it is one series. */
export interface Instrument {
  readonly measurement: string;
  readonly tags: (unit: number) => Record<string, string>;
  readonly field: string;
  readonly kind: 'float' | 'integer' | 'boolean' | 'string';
  readonly cadence: Cadence;
  /** @param index of the point in its series; @param random in [0, 1), the same at every call for this point */
  readonly value: (index: number, random: number) => Point['value'];
}

/** Doubles that lose digits, a sign or magnitude where they are rounded; each prints with up to 17 significant digits. */
const delicateFloats = [
  0,
  0.1 + 0.2,
  1.0000000000000002,
  -273.15,
  2 ** 53 + 2,
  123456789.12345679,
  -1 / 81_000,
  1e21,
  1.7976931348623157e308,
  5e-324,
  2.2250738585072014e-308,
  1 / 3,
  -1,
];
const delicateIntegers = [0, -1, 1, 2147483648, -2147483649, 9007199254740991, -9007199254740991, 100];
/** Words, and texts that a lenient parser takes for a number. */
const states = [
  'running',
  '',
  'No Data',
  '0',
  '12.5',
  'NaN',
  'null',
  'true',
  `said "stop", it's off`,
  'C:\\plant\\',
  'a,b=c d',
  'übertemperatur ⚠ 過熱',
  'two\nlines',
];

const pick = <Item>(items: readonly Item[], index: number): Item => items[index % items.length] as Item;

/** The devices of the plant. Their names need quoting. */
export const instruments: readonly Instrument[] = [
  {
    measurement: 'temperature',
    tags: (unit) => ({ sensor: `T-${unit}`, unit: '°C', hall: 'north hall' }),
    field: 'value',
    kind: 'float',
    cadence: 'even',
    value: (index, random) => 20 + 5 * Math.sin(index / 50) + random,
  },
  {
    measurement: 'temperature',
    tags: (unit) => ({ sensor: `T-${unit}`, unit: '°C', hall: 'north hall' }),
    field: 'setpoint',
    kind: 'integer',
    cadence: 'even',
    value: (index) => pick([-20, 0, 20], Math.floor(index / 100)),
  },
  {
    measurement: 'pressure',
    tags: (unit) => ({ sensor: `P-${unit}`, ...(unit % 2 === 0 ? {} : { zone: `zone ${unit}` }) }),
    field: 'bar',
    kind: 'float',
    cadence: 'edges',
    value: (index, random) => (index % 10 === 0 ? 0 : random * 16 - 1),
  },
  {
    measurement: 'motor current, phase=1',
    tags: (unit) => ({ 'motor name': `M ${unit}, "main"`, 'a=b': 'c,d=e f', straße: `Größe ${unit} 電動機` }),
    field: 'i "rms", A=1',
    kind: 'float',
    cadence: 'random',
    value: (_index, random) => (random - 0.5) * 400,
  },
  {
    measurement: 'vibration',
    tags: (unit) => ({ sensor: `V-${unit}`, axis: pick(['x', 'y', 'z'], unit) }),
    field: 'velocity',
    kind: 'float',
    cadence: 'bursts',
    value: (_index, random) => (random - 0.5) / 3,
  },
  {
    measurement: 'delicate',
    tags: (unit) => ({ sensor: `it's \\${unit}` }),
    field: 'float',
    kind: 'float',
    cadence: 'random',
    value: (index) => pick(delicateFloats, index),
  },
  {
    measurement: 'delicate',
    tags: (unit) => ({ sensor: `it's \\${unit}` }),
    field: 'integer',
    kind: 'integer',
    cadence: 'random',
    value: (index) => pick(delicateIntegers, index),
  },
  {
    measurement: 'energy',
    tags: (unit) => ({ meter: `E-${unit}` }),
    field: 'total',
    kind: 'integer',
    cadence: 'edges',
    value: (index) => 1_000_000 + index * 3,
  },
  {
    measurement: 'valve',
    tags: (unit) => ({ sensor: `valve/${unit}` }),
    field: 'open',
    kind: 'boolean',
    cadence: 'random',
    value: (_index, random) => random < 0.5,
  },
  {
    measurement: 'machine',
    tags: (unit) => ({ sensor: `K-${unit}` }),
    field: 'state',
    kind: 'string',
    cadence: 'even',
    value: (index) => pick(states, index),
  },
];
