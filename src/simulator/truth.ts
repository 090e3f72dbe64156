import { listedPoints } from './listed.ts';
import { instantAtOrAfter, instantAtOrBefore, type Rhythm } from './rhythm.ts';

/** A digital or system state is `{ state, code }`. */
export type Value = number | boolean | string | { readonly [name: string]: Value };

export interface TruthPoint {
  /** Milliseconds since 1970, UTC. A listed point may have a fraction: whole microseconds, see instants.ts. */
  readonly ts: number;
  readonly value: Value;
  /** Steps of 100 ns after `ts`, from 0 to 9; 0 where it is left out. */
  readonly finer?: number;
  /** Left out: good. The platform writes it in its own words; `unknown` as one that its description does not have. */
  readonly quality?: 'good' | 'uncertain' | 'substituted' | 'bad' | 'unknown';
  /** The simulator shows a listed point while its clock stands in `[shownFromMs, shownToMs)`; always where both are left out. */
  readonly shownFromMs?: number;
  readonly shownToMs?: number;
}

export type Order = 'ASC' | 'DESC';

/** One key of a device: its values and the instants of its points. */
export interface KeySpec extends Rhythm {
  readonly name: string;
  readonly kind: 'number' | 'boolean' | 'text' | 'json';
  /** Numbers around `middle`: `swing` up and down over a day, `ripple` from point to point. Without it, noise. */
  readonly wave?: { readonly middle: number; readonly swing: number; readonly ripple: number };
  /** The texts, one after the other. Without it, words that tempt a reader to coerce them. */
  readonly words?: readonly string[];
  /** Values are these states, one after the other; `code` is the place in this list. */
  readonly states?: readonly string[];
  /** Replaces `late` of the whole truth. */
  readonly late?: Late;
  /** The qualities of the points of the rhythm, one after the other. */
  readonly qualities?: readonly NonNullable<TruthPoint['quality']>[];
  /** One instant of the rhythm in this many has `count` points. */
  readonly together?: { readonly everyNth: number; readonly count: number };
  /** All points of the key, oldest first, in place of those of the rhythm. A revised point is listed once for each value. */
  readonly listed?: readonly TruthPoint[];
}

/** This share (0..1) of the points shows up `delayMs` after its own instant. */
export interface Late {
  readonly share: number;
  readonly delayMs: number;
}

export interface DeviceSpec {
  /** In the platform's own form: a UUID, a series key. */
  readonly id: string;
  readonly name: string;
  readonly keys: readonly KeySpec[];
}

/** Everything from which the data of a simulator follow. Plain JSON: the test and the simulator hold the same one. */
export interface TruthSpec {
  readonly seed: number;
  /** No point is older. */
  readonly firstMs: number;
  /** No point is at this instant or newer. Required unless `liveFromMs` is given. */
  readonly endMs?: number;
  /** Points from here on exist only once the simulator's clock has reached them; older ones always exist. */
  readonly liveFromMs?: number;
  /** Late points; there are none before `liveFromMs`. */
  readonly late?: Late;
  /** Stretches `[fromMs, toMs)` in which no device has a point. */
  readonly silences?: readonly { readonly fromMs: number; readonly toMs: number }[];
  readonly devices: readonly DeviceSpec[];
}

/**
 * Everything that is true of a key in `[fromMs, toMs)`, oldest first, whether or not the simulator shows it yet.
 * Pure: the same arguments always give the same points. An unknown device or key has none.
 */
export function truth(spec: TruthSpec, deviceId: string, keyName: string, fromMs: number, toMs: number): TruthPoint[] {
  return [...truePoints(spec, deviceId, keyName, { fromMs, toMs })];
}

/** The part of the truth that the simulator shows when its clock stands at `nowMs`, one by one. */
export function* visiblePoints(
  spec: TruthSpec,
  deviceId: string,
  keyName: string,
  { fromMs, toMs }: Stretch,
  { nowMs, order = 'ASC' }: { readonly nowMs: number; readonly order?: Order },
): Generator<TruthPoint> {
  // No point shows up before its own instant, so a `toMs` far in the future need not be walked through.
  const shownToMs = spec.liveFromMs === undefined ? toMs : Math.max(spec.liveFromMs, nowMs + 1);
  for (const point of truePoints(spec, deviceId, keyName, { fromMs, toMs: Math.min(toMs, shownToMs) }, order)) {
    const { shownFromMs = visibleFromMs(spec, deviceId, keyName, point.ts), shownToMs = Infinity } = point;
    if (shownFromMs <= nowMs && nowMs < shownToMs) yield point;
  }
}

/** When a point shows up: `-Infinity` before `liveFromMs`, else its own instant, or later if it is a late one. */
export function visibleFromMs(spec: TruthSpec, deviceId: string, keyName: string, ts: number): number {
  if (spec.liveFromMs === undefined || ts < spec.liveFromMs) return -Infinity;
  const late = keyOf(spec, deviceId, keyName)?.late ?? spec.late;
  if (late === undefined) return ts;
  return hash(spec.seed, `late ${deviceId} ${keyName}`, ts) / 2 ** 32 < late.share ? ts + late.delayMs : ts;
}

/** `[fromMs, toMs)`. */
interface Stretch {
  readonly fromMs: number;
  readonly toMs: number;
}

/** As {@link truth}, one by one, so that a caller with a limit computes no more than it needs. */
export function* truePoints(
  spec: TruthSpec,
  deviceId: string,
  keyName: string,
  { fromMs, toMs }: Stretch,
  order: Order = 'ASC',
): Generator<TruthPoint> {
  const key = keyOf(spec, deviceId, keyName);
  if (!key) return;
  const firstMs = Math.max(fromMs, spec.firstMs);
  const endMs = Math.min(toMs, spec.endMs ?? Infinity);
  if (key.listed !== undefined) {
    yield* listedPoints(key.listed, { fromMs: firstMs, toMs: endMs }, order);
    return;
  }
  const ascending = order === 'ASC';
  let ts = ascending ? instantAtOrAfter(key, firstMs) : instantAtOrBefore(key, endMs - 1);
  while (firstMs <= ts && ts < endMs) {
    const silence = spec.silences?.find((stretch) => stretch.fromMs <= ts && ts < stretch.toMs);
    if (!silence) yield* ascending ? pointsAt(spec, deviceId, key, ts) : pointsAt(spec, deviceId, key, ts).toReversed();
    if (ascending) ts = instantAtOrAfter(key, silence?.toMs ?? ts + 1);
    else ts = instantAtOrBefore(key, (silence?.fromMs ?? ts) - 1);
  }
}

/** The points of the rhythm at one of its instants. Each has a value of its own. */
function pointsAt(spec: TruthSpec, deviceId: string, key: KeySpec, ts: number): TruthPoint[] {
  const { qualities = [], together = { everyNth: 1, count: 1 } } = key;
  const position = Math.floor(ts / key.everyMs);
  const quality = qualities[position % qualities.length];
  const count = position % together.everyNth === 0 ? together.count : 1;
  return Array.from({ length: count }, (_, number) => {
    const source = number === 0 ? deviceId : `${deviceId} ${number}`;
    return { ts, value: valueAt(spec, source, key, ts), ...(quality && { quality }) };
  });
}

/** A deterministic 32-bit number for an instant; `text` keeps different uses of one instant apart. */
export function hash(seed: number, text: string, ts: number): number {
  let state = (0x811c9dc5 ^ seed) >>> 0;
  for (const character of text) state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 0x01000193);
  state = Math.imul(state ^ Math.floor(ts / 2 ** 32), 0x85ebca6b);
  state = Math.imul(state ^ (ts >>> 0), 0xc2b2ae35);
  state = Math.imul(state ^ (state >>> 15), 0x85ebca6b);
  return (state ^ (state >>> 13)) >>> 0;
}

// Words that tempt a reader to coerce: the empty one and those that look like numbers.
const temptingWords = ['RUN', 'STOP', 'IDLE', '', '42', '-1.5', 'NaN', 'false'];

function valueAt(spec: TruthSpec, deviceId: string, key: KeySpec, ts: number): Value {
  const position = Math.floor(ts / key.everyMs);
  if (key.wave !== undefined) return waveAt(key.wave, ts, position);
  if (key.words !== undefined) return key.words[position % key.words.length] ?? '';
  const code = position % (key.states?.length ?? 1);
  if (key.states !== undefined) return { state: key.states[code] ?? '', code };
  const noise = hash(spec.seed, `${deviceId} ${key.name}`, ts);
  const number = noise % 8 === 0 ? 0 : ((noise >>> 3) % 200_001) / 1000 - 100;
  const rounded = Math.round(number * 1000) / 1000 || 0;
  if (key.kind === 'number') return rounded;
  if (key.kind === 'boolean') return noise % 2 === 1;
  if (key.kind === 'text') return temptingWords[noise % temptingWords.length] ?? '';
  return { mode: temptingWords[noise % 3] ?? '', setpoint: rounded, limits: { high: noise % 100 } };
}

const dayMs = 86_400_000;

/** About the golden angle, in radians: neighbouring points are never near each other on the circle. */
const stride = 2.4;

function waveAt({ middle, swing, ripple }: NonNullable<KeySpec['wave']>, ts: number, position: number): number {
  const value = middle + swing * Math.sin((2 * Math.PI * (ts % dayMs)) / dayMs) + ripple * Math.sin(stride * position);
  // Adding 0 turns -0 into 0, because a database would store it so.
  return Math.round(value * 100) / 100 + 0;
}

function keyOf(spec: TruthSpec, deviceId: string, keyName: string): KeySpec | undefined {
  return spec.devices.find(({ id }) => id === deviceId)?.keys.find(({ name }) => name === keyName);
}
