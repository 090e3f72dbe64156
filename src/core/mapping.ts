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

/** Ours: some 50 MB. A source with more series than this looks the names of each window up again. */
const MOST_NAMES = 100_000;

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
export function rulesOf(
  source: Pick<SourceConfig, 'sensors' | 'mapping'>,
  {
    room = nameRoom(),
    ...platform
  }: Pick<Rules, 'localTimes' | 'qualities'> & { readonly room?: NameRoom | undefined } = {},
): Mapping {
  const chosen = source.sensors === 'all' ? undefined : new Map(source.sensors.map((sensor) => [sensor.id, sensor]));
  const known = new Map<string, Known>();
  const taken = new Map<string, Taken>();
  const unconfirmed = new Map<string, GivenName>();
  /** Series that this source may not write, each with the reason and the window that met it last. */
  const foreign = new Map<string, { readonly reason: SeriesRefusal; used: number }>();
  const underWay = new Set<number>();
  let windows = 0;
  let corrections = 0;
  let counted = 0;

  /** Counts the names of this source among those of the process. */
  function count(): void {
    const names = known.size + taken.size + foreign.size;
    room.held += names - counted;
    counted = names;
  }

  /** Names that are not confirmed yet stay: another variable might get them otherwise, in the same window. */
  function forgetBefore(window: number): void {
    for (const [key, { used }] of known) if (used < window) known.delete(key);
    for (const [name, { used, contested }] of taken) {
      if (used < window && !contested && !unconfirmed.has(name)) taken.delete(name);
    }
  }

  /** The window that meets one of them next is read twice. */
  function forgetDisputedBefore(window: number): void {
    for (const [name, { used }] of foreign) if (used < window) foreign.delete(name);
    for (const [name, { used, contested }] of taken) {
      if (used < window && contested && !unconfirmed.has(name)) taken.delete(name);
    }
  }

  function ruleOf(sensor: string, variable: string, holder: string): SeriesRule | RefusalReason | undefined {
    const choice = chosen?.get(sensor);
    if (chosen !== undefined && choice === undefined) return undefined;
    const value = choice?.values?.[variable];
    const name = nameOf(choice, sensor, variable);
    if (typeof name === 'string') return name;
    const { sensorId, valueName } = name;
    const series = seriesOf(name);
    const before = taken.get(series);
    if (before !== undefined) before.used = windows;
    if (before !== undefined && before.holder !== holder) {
      before.contested = true;
      return 'name-collision';
    }
    const lost = foreign.get(series);
    if (lost !== undefined) {
      lost.used = windows;
      return lost.reason;
    }
    if (before === undefined) {
      taken.set(series, { holder, used: windows, contested: false });
      unconfirmed.set(series, { sensorId, valueName, holder });
    }
    const labels = [
      ...source.mapping.labels,
      ...(value?.labels ?? []),
      ...(value?.unit === undefined ? [] : [value.unit]),
    ];
    return {
      sensorId,
      valueName,
      scale: value?.scale ?? 1,
      offset: value?.offset ?? 0,
      states: value?.states,
      labels: [...new Set(labels)].sort(),
    };
  }

  return {
    booleans: source.mapping.booleans,
    bad: source.mapping.bad,
    ...platform,
    series(sensor, variable) {
      const key = JSON.stringify([sensor, variable]);
      const found = known.get(key) ?? { rule: ruleOf(sensor, variable, key), used: windows };
      if (found.used < windows) {
        found.used = windows;
        const name = typeof found.rule === 'object' ? taken.get(seriesOf(found.rule)) : undefined;
        if (name !== undefined) name.used = windows;
      }
      known.set(key, found);
      return found.rule;
    },
    unconfirmed: () => [...unconfirmed.values()],
    confirm(names) {
      for (const name of names) {
        const series = seriesOf(name);
        const before = taken.get(series);
        const holderHere = before?.holder;
        unconfirmed.delete(series);
        const contested = before?.contested === true || (before !== undefined && before.holder !== name.holder);
        taken.set(series, { holder: name.holder, used: windows, contested });
        const isLost = !name.owned && !foreign.has(series);
        if (!name.owned) foreign.set(series, { reason: name.reason ?? 'series-of-another', used: windows });
        if (!isLost && (holderHere === undefined || holderHere === name.holder)) continue;
        // Both variables are judged anew: the one that held the name in this process, and the one that holds it for
        // all.
        if (holderHere !== undefined) known.delete(holderHere);
        known.delete(name.holder);
        corrections += 1;
      }
    },
    get corrections() {
      return corrections;
    },
    beginWindow() {
      windows += 1;
      const window = windows;
      underWay.add(window);
      count();
      return () => {
        underWay.delete(window);
        count();
        for (const forget of [forgetBefore, forgetDisputedBefore]) {
          if (room.held <= room.most) return;
          forget(Math.min(windows + 1, ...underWay));
          count();
        }
      };
    },
    close() {
      known.clear();
      taken.clear();
      unconfirmed.clear();
      foreign.clear();
      count();
    },
  };
}

const seriesOf = ({ sensorId, valueName }: Pick<GivenName, 'sensorId' | 'valueName'>): string =>
  `${sensorId}\n${valueName}`;
