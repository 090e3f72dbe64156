import type { Rules, SeriesRule } from './normalise.ts';
import { toValueName } from './naming.ts';
import { judgeSensorId } from './reading.ts';
import type { RefusalReason, SeriesRefusal } from './reading.ts';
import type { SourceConfig } from './source/source.ts';

/** The name of a series, and the variable that holds it. */
export interface GivenName {
  readonly sensorId: string;
  readonly valueName: string;
  /** JSON of sensor and variable, as the platform calls them. */
  readonly holder: string;
}

/** A name as all processes agree on it. */
export interface SettledName extends GivenName {
  /** Whether the series belongs to this source; otherwise none of its points is taken from here. */
  readonly owned: boolean;
  /** The reason where it does not; `series-of-another` where none is given. */
  readonly reason?: SeriesRefusal | undefined;
}

/** The rules of a source, and the names they gave out. */
export interface Mapping extends Rules {
  /** Names that this process has given and that no `confirm` has settled yet. */
  unconfirmed(): readonly GivenName[];
  /** Takes over the holders and owners that all processes agree on. */
  confirm(names: readonly SettledName[]): void;
  /**
   * How often `confirm` gave a name to another variable or source. When it grows, a window normalised before must be read again.
   */
  readonly corrections: number;
  /**
   * Begins a window. The function it returns ends the window; where too many names are remembered then, those that no window
   * under way has used are forgotten. A name that is met again is looked up again, so it keeps its holder.
   */
  beginWindow(): () => void;
  /** Forgets all names: the source is closed. */
  close(): void;
}

/** How many names the open sources of a process remember together. */
export interface NameRoom {
  held: number;
  readonly most: number;
}

/** Ours: some 200 MB, two for each series. Above it the names of each window are looked up again. */
const MOST_NAMES = 1_000_000;

export const nameRoom = (most = MOST_NAMES): NameRoom => ({ held: 0, most });

/** A name, its holder, and the window that used it last. */
interface Taken {
  readonly holder: string;
  used: number;
  /** Another variable wants it. It is forgotten last, because that variable might be met first then, and the window read twice. */
  contested: boolean;
}

interface Known {
  readonly rule: SeriesRule | RefusalReason | undefined;
  used: number;
}

type Sensors = SourceConfig['sensors'];
type Choice = Exclude<Sensors, 'all'>[number];

function nameOf(
  choice: Choice | undefined,
  sensor: string,
  variable: string,
): Omit<GivenName, 'holder'> | RefusalReason {
  const sensorId = judgeSensorId(choice?.as ?? sensor);
  if (typeof sensorId !== 'string') return sensorId.refused;
  const valueName = choice?.values?.[variable]?.as ?? toValueName(variable);
  return valueName === undefined ? 'bad-value-name' : { sensorId, valueName };
}

/** The name that a source gives to each of its variables; undefined for one that it does not choose or that can have none. */
export function givenNames(
  sensors: Sensors,
): (sensor: string, variable: string) => Omit<GivenName, 'holder'> | undefined {
  const chosen = sensors === 'all' ? undefined : new Map(sensors.map((sensor) => [sensor.id, sensor]));
  return (sensor, variable) => {
    if (chosen !== undefined && !chosen.has(sensor)) return undefined;
    const name = nameOf(chosen?.get(sensor), sensor, variable);
    return typeof name === 'string' ? undefined : name;
  };
}

/**
 * A source's mapping as rules for the normaliser; `localTimes` and `qualities` where its platform gives them. Names are the platform's own unless the source maps them. Of two
 * variables that would become one series, the first keeps the name and the other is refused.
 */
export const rulesOf = (
  source: Pick<SourceConfig, 'sensors' | 'mapping'>,
  given: Pick<Rules, 'localTimes' | 'qualities'> & { readonly room?: NameRoom | undefined } = {},
): Mapping => new NamedMapping(source, given);

/** There is one for each source of a process, so it makes what it needs when it needs it. */
class NamedMapping implements Mapping {
  readonly booleans: Rules['booleans'];
  readonly bad: Rules['bad'];
  readonly localTimes: Rules['localTimes'];
  readonly qualities: Rules['qualities'];
  readonly #room: NameRoom;
  readonly #labels: readonly string[];
  readonly #chosen: ReadonlyMap<string, Choice> | undefined;
  #known = new Map<string, Known>();
  #taken = new Map<string, Taken>();
  #unconfirmed: Map<string, GivenName> | undefined;
  /** Series that this source may not write, each with the reason and the window that met it last. */
  #foreign: Map<string, { readonly reason: SeriesRefusal; used: number }> | undefined;
  #underWay: readonly number[] = NONE;
  #windows = 0;
  #corrections = 0;
  #counted = 0;

  constructor(
    { sensors, mapping }: Pick<SourceConfig, 'sensors' | 'mapping'>,
    { room = nameRoom(), localTimes, qualities }: Parameters<typeof rulesOf>[1] & object,
  ) {
    this.booleans = mapping.booleans;
    this.bad = mapping.bad;
    this.localTimes = localTimes;
    this.qualities = qualities;
    this.#room = room;
    this.#labels = mapping.labels;
    this.#chosen = sensors === 'all' ? undefined : new Map(sensors.map((sensor) => [sensor.id, sensor]));
  }

  readonly series = (sensor: string, variable: string): SeriesRule | RefusalReason | undefined => {
    const key = JSON.stringify([sensor, variable]);
    const found = this.#known.get(key) ?? { rule: this.#ruleOf(sensor, variable, key), used: this.#windows };
    if (found.used < this.#windows) {
      found.used = this.#windows;
      const name = typeof found.rule === 'object' ? this.#taken.get(seriesOf(found.rule)) : undefined;
      if (name !== undefined) name.used = this.#windows;
    }
    this.#known.set(key, found);
    return found.rule;
  };

  unconfirmed(): readonly GivenName[] {
    return [...(this.#unconfirmed?.values() ?? [])];
  }

  confirm(names: readonly SettledName[]): void {
    for (const name of names) {
      const series = seriesOf(name);
      const before = this.#taken.get(series);
      const holderHere = before?.holder;
      this.#unconfirmed?.delete(series);
      const contested = before?.contested === true || (before !== undefined && before.holder !== name.holder);
      this.#taken.set(series, { holder: name.holder, used: this.#windows, contested });
      const isLost = !name.owned && this.#foreign?.has(series) !== true;
      if (!name.owned) {
        this.#foreign ??= new Map();
        this.#foreign.set(series, { reason: name.reason ?? 'series-of-another', used: this.#windows });
      }
      if (!isLost && (holderHere === undefined || holderHere === name.holder)) continue;
      // Both variables are judged anew: the one that held the name in this process, and the one that holds it for
      // all.
      if (holderHere !== undefined) this.#known.delete(holderHere);
      this.#known.delete(name.holder);
      this.#corrections += 1;
    }
    if (this.#unconfirmed?.size === 0) this.#unconfirmed = undefined;
  }

  get corrections(): number {
    return this.#corrections;
  }

  beginWindow(): () => void {
    this.#windows += 1;
    const window = this.#windows;
    this.#underWay = [...this.#underWay, window];
    this.#count();
    return () => {
      this.#underWay = this.#underWay.filter((one) => one !== window);
      this.#count();
      for (const contested of [false, true]) {
        if (this.#room.held <= this.#room.most) return;
        this.#forgetBefore(Math.min(this.#windows + 1, ...this.#underWay), contested);
        this.#count();
      }
    };
  }

  close(): void {
    this.#known.clear();
    this.#taken.clear();
    this.#unconfirmed = undefined;
    this.#foreign = undefined;
    this.#count();
  }

  /** Counts the names of this source among those of the process. */
  #count(): void {
    const names = this.#known.size + this.#taken.size + (this.#foreign?.size ?? 0);
    this.#room.held += names - this.#counted;
    this.#counted = names;
  }

  /**
   * Names that are not confirmed yet stay: another variable might get them otherwise, in the same window. `contested`: forgets the
   * disputed ones, too, and the window that meets one of them next is read twice.
   */
  #forgetBefore(window: number, contested: boolean): void {
    for (const [key, { used }] of this.#known) if (used < window) this.#known.delete(key);
    for (const [name, one] of this.#taken) {
      const isKept = one.used >= window || (one.contested && !contested) || this.#unconfirmed?.has(name) === true;
      if (!isKept) this.#taken.delete(name);
    }
    if (!contested) return;
    for (const [name, { used }] of this.#foreign ?? []) if (used < window) this.#foreign?.delete(name);
  }

  #ruleOf(sensor: string, variable: string, holder: string): SeriesRule | RefusalReason | undefined {
    const choice = this.#chosen?.get(sensor);
    if (this.#chosen !== undefined && choice === undefined) return undefined;
    const value = choice?.values?.[variable];
    const name = nameOf(choice, sensor, variable);
    if (typeof name === 'string') return name;
    const { sensorId, valueName } = name;
    const series = seriesOf(name);
    const before = this.#taken.get(series);
    if (before !== undefined) before.used = this.#windows;
    if (before !== undefined && before.holder !== holder) {
      before.contested = true;
      return 'name-collision';
    }
    const lost = this.#foreign?.get(series);
    if (lost !== undefined) {
      lost.used = this.#windows;
      return lost.reason;
    }
    if (before === undefined) {
      this.#taken.set(series, { holder, used: this.#windows, contested: false });
      this.#unconfirmed ??= new Map();
      this.#unconfirmed.set(series, { sensorId, valueName, holder });
    }
    const own = [...(value?.labels ?? []), ...(value?.unit === undefined ? [] : [value.unit])];
    return {
      sensorId,
      valueName,
      scale: value?.scale ?? 1,
      offset: value?.offset ?? 0,
      states: value?.states,
      labels:
        own.length === 0 && this.#labels.length < 2 ? this.#labels : [...new Set([...this.#labels, ...own])].sort(),
    };
  }
}

const NONE: readonly never[] = [];

const seriesOf = ({ sensorId, valueName }: Pick<GivenName, 'sensorId' | 'valueName'>): string =>
  `${sensorId}\n${valueName}`;
