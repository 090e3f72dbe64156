import type { Rules, SeriesRule } from './normalise.ts';
import { toValueName } from './naming.ts';
import { judgeSensorId } from './reading.ts';
import type { RefusalReason } from './reading.ts';
import type { SourceConfig } from './source/source.ts';

/** The name of a series, and the variable that holds it. */
export interface GivenName {
  readonly sensorId: string;
  readonly valueName: string;
  /** JSON of sensor and variable, as the platform calls them. */
  readonly holder: string;
}

/** The rules of a source, and the names they gave out. */
export interface Mapping extends Rules {
  /** Names that this process has given and that no `confirm` has settled yet. */
  unconfirmed(): readonly GivenName[];
  /** Takes over the holders that all processes agree on. */
  confirm(names: readonly GivenName[]): void;
  /**
   * How often `confirm` gave a name to another variable. When it grows, a window normalised before must be read again.
   */
  readonly corrections: number;
}

/**
 * A source's mapping as rules for the normaliser. Names are the platform's own unless the source maps them. Of two
 * variables that would become one series, the first keeps the name and the other is refused.
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
    const holderBefore = taken.get(series);
    if (holderBefore !== undefined && holderBefore !== holder) return 'name-collision';
    if (holderBefore === undefined) {
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
        const holderHere = taken.get(series);
        unconfirmed.delete(series);
        taken.set(series, name.holder);
        if (holderHere === undefined || holderHere === name.holder) continue;
        // Both variables are judged anew: the one that held the name in this process, and the one that holds it for
        // all.
        known.delete(holderHere);
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
