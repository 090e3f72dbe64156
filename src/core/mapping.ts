import type { Rules, SeriesRule } from './normalise.ts';
import { toValueName } from './naming.ts';
import { judgeSensorId } from './reading.ts';
import type { RefusalReason } from './reading.ts';
import type { SourceConfig } from './source/source.ts';

/** A series' name and the variable it was given to. */
export interface GivenName {
  readonly sensorId: string;
  readonly valueName: string;
  /** JSON of sensor and variable, as the platform calls them. */
  readonly holder: string;
}

/** The rules of a source, and the names they gave out. */
export interface Mapping extends Rules {
  /** Names given since nobody knows of them but this process. */
  unconfirmed(): readonly GivenName[];
  /** Takes over to whom names belong for all processes. */
  confirm(names: readonly GivenName[]): void;
  /** How often a name turned out to be another variable's: what was normalised before is void then. */
  readonly corrections: number;
}

/**
 * A source's mapping as rules for the normaliser. Names are the platform's own unless the source maps them; of two
 * variables that would become one series the first keeps the name and the other is refused.
 */
export function rulesOf(source: Pick<SourceConfig, 'sensors' | 'mapping'>): Mapping {
  const chosen = source.sensors === 'all' ? undefined : new Map(source.sensors.map((sensor) => [sensor.id, sensor]));
  const known = new Map<string, SeriesRule | RefusalReason | undefined>();
  const taken = new Map<string, string>();
  const unconfirmed = new Map<string, GivenName>();
  let corrections = 0;

  function ruleOf(sensor: string, variable: string, holder: string): SeriesRule | RefusalReason | undefined {
    const choice = chosen?.get(sensor);
    if (chosen !== undefined && choice === undefined) return undefined;
    const value = choice?.values?.[variable];
    const sensorId = judgeSensorId(choice?.as ?? sensor);
    if (typeof sensorId !== 'string') return sensorId.refused;
    const valueName = value?.as ?? toValueName(variable);
    if (valueName === undefined) return 'bad-value-name';
    const series = seriesOf({ sensorId, valueName });
    const first = taken.get(series);
    if (first !== undefined && first !== holder) return 'name-collision';
    if (first === undefined) {
      taken.set(series, holder);
      unconfirmed.set(series, { sensorId, valueName, holder });
    }
    const labels = [...source.mapping.labels, ...(value?.unit === undefined ? [] : [value.unit])];
    return {
      sensorId,
      valueName,
      scale: value?.scale ?? 1,
      offset: value?.offset ?? 0,
      labels: [...new Set(labels)].sort(),
    };
  }

  return {
    booleans: source.mapping.booleans,
    bad: source.mapping.bad,
    series(sensor, variable) {
      const key = JSON.stringify([sensor, variable]);
      if (!known.has(key)) known.set(key, ruleOf(sensor, variable, key));
      return known.get(key);
    },
    unconfirmed: () => [...unconfirmed.values()],
    confirm(names) {
      for (const name of names) {
        const series = seriesOf(name);
        const given = taken.get(series);
        unconfirmed.delete(series);
        taken.set(series, name.holder);
        if (given === undefined || given === name.holder) continue;
        // Both are judged anew: the one that had the name here, and the one it belongs to.
        known.delete(given);
        known.delete(name.holder);
        corrections += 1;
      }
    },
    get corrections() {
      return corrections;
    },
  };
}

const seriesOf = ({ sensorId, valueName }: Pick<GivenName, 'sensorId' | 'valueName'>): string =>
  `${sensorId}\n${valueName}`;
