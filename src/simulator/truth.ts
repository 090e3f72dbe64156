import { instantAtOrAfter, instantAtOrBefore, type Rhythm } from './rhythm.ts';

export type Value = number | boolean | string | { readonly [name: string]: Value };

export interface TruthPoint {
  /** Milliseconds since 1970, UTC. */
  readonly ts: number;
  readonly value: Value;
}

/** One key of a device: what its values are and when it has points. */
export interface KeySpec extends Rhythm {
  readonly name: string;
  readonly kind: 'number' | 'boolean' | 'text' | 'json';
}

export interface DeviceSpec {
  readonly id: string;
  readonly name: string;
  readonly keys: readonly KeySpec[];
}

/** Everything the data of a simulator follows from. Plain JSON: the test and the simulator hold the same one. */
export interface TruthSpec {
  readonly seed: number;
  /** No point is older. */
  readonly firstMs: number;
  /** No point is at this instant or newer. Required unless `liveFromMs` is given. */
  readonly endMs?: number;
  /** Points from here on exist only once the simulator's clock has reached them; older ones always exist. */
  readonly liveFromMs?: number;
  /** Of the points from `liveFromMs` on, this share (0..1) shows up `delayMs` after its own instant. */
  readonly late?: { readonly share: number; readonly delayMs: number };
  /** Stretches `[fromMs, toMs)` in which no device says anything. */
  readonly silences?: readonly { readonly fromMs: number; readonly toMs: number }[];
  readonly devices: readonly DeviceSpec[];
}

/**
 * Everything that is true of a key in `[fromMs, toMs)`, oldest first, whether or not the simulator shows it yet.
 * Pure: the same arguments always give the same points. An unknown device or key has none.
 */
export function truth(spec: TruthSpec, deviceId: string, keyName: string, fromMs: number, toMs: number): TruthPoint[] {
  return [...pointsOldestFirst(spec, deviceId, keyName, fromMs, toMs)];
}

/** The part of {@link truth} that the simulator shows when its clock stands at `nowMs`. */
export function visibleTruth(
  spec: TruthSpec,
  deviceId: string,
  keyName: string,
  fromMs: number,
  toMs: number,
  nowMs: number,
): TruthPoint[] {
  const points = truth(spec, deviceId, keyName, fromMs, toMs);
  return points.filter(({ ts }) => visibleFromMs(spec, deviceId, keyName, ts) <= nowMs);
}

/** When a point shows up: `-Infinity` before `liveFromMs`, else its own instant, or later if it is a late one. */
export function visibleFromMs(spec: TruthSpec, deviceId: string, keyName: string, ts: number): number {
  if (spec.liveFromMs === undefined || ts < spec.liveFromMs) return -Infinity;
  const isLate =
    spec.late !== undefined && hash(spec.seed, `late ${deviceId} ${keyName}`, ts) / 2 ** 32 < spec.late.share;
  return isLate ? ts + (spec.late?.delayMs ?? 0) : ts;
}

/** The points of `[fromMs, toMs)` one by one, so that a limit need not compute what it cuts off. */
export function* pointsOldestFirst(
  spec: TruthSpec,
  deviceId: string,
  keyName: string,
  fromMs: number,
  toMs: number,
): Generator<TruthPoint> {
  const key = keyOf(spec, deviceId, keyName);
  if (!key) return;
  const endMs = Math.min(toMs, spec.endMs ?? Infinity);
  let ts = instantAtOrAfter(key, Math.max(fromMs, spec.firstMs));
  while (ts < endMs) {
    const silence = silenceAt(spec, ts);
    if (!silence) yield { ts, value: valueAt(spec, deviceId, key, ts) };
    ts = instantAtOrAfter(key, silence ? silence.toMs : ts + 1);
  }
}

/** As {@link pointsOldestFirst}, from the newest back. `toMs` or `spec.endMs` must be finite. */
export function* pointsNewestFirst(
  spec: TruthSpec,
  deviceId: string,
  keyName: string,
  fromMs: number,
  toMs: number,
): Generator<TruthPoint> {
  const key = keyOf(spec, deviceId, keyName);
  if (!key) return;
  const firstMs = Math.max(fromMs, spec.firstMs);
  let ts = instantAtOrBefore(key, Math.min(toMs, spec.endMs ?? Infinity) - 1);
  while (ts >= firstMs) {
    const silence = silenceAt(spec, ts);
    if (!silence) yield { ts, value: valueAt(spec, deviceId, key, ts) };
    ts = instantAtOrBefore(key, silence ? silence.fromMs - 1 : ts - 1);
  }
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
const words = ['RUN', 'STOP', 'IDLE', '', '42', '-1.5', 'NaN', 'false'];

function valueAt(spec: TruthSpec, deviceId: string, key: KeySpec, ts: number): Value {
  const noise = hash(spec.seed, `${deviceId} ${key.name}`, ts);
  const number = noise % 8 === 0 ? 0 : ((noise >>> 3) % 200_001) / 1000 - 100;
  const rounded = Math.round(number * 1000) / 1000 || 0;
  if (key.kind === 'number') return rounded;
  if (key.kind === 'boolean') return noise % 2 === 1;
  if (key.kind === 'text') return words[noise % words.length] ?? '';
  return { mode: words[noise % 3] ?? '', setpoint: rounded, limits: { high: noise % 100 } };
}

function keyOf(spec: TruthSpec, deviceId: string, keyName: string): KeySpec | undefined {
  return spec.devices.find(({ id }) => id === deviceId)?.keys.find(({ name }) => name === keyName);
}

function silenceAt(spec: TruthSpec, ts: number) {
  return spec.silences?.find(({ fromMs, toMs }) => fromMs <= ts && ts < toMs);
}
