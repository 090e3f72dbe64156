import type { Rules, SeriesRule } from './normalise.ts';
import { toValueName } from './naming.ts';
import { judgeSensorId } from './reading.ts';
import type { RefusalReason } from './reading.ts';
import type { SourceConfig } from './source.ts';

/**
 * A source's mapping as rules for the normaliser. Names are the platform's own unless the source maps them; of two
 * variables that would become one series the first keeps the name and the other is refused.
 */
export function rulesOf(source: Pick<SourceConfig, 'sensors' | 'mapping'>): Rules {
  const chosen = source.sensors === 'all' ? undefined : new Map(source.sensors.map((sensor) => [sensor.id, sensor]));
  const known = new Map<string, SeriesRule | RefusalReason | undefined>();
  const taken = new Map<string, string>();

  function ruleOf(sensor: string, variable: string): SeriesRule | RefusalReason | undefined {
    const choice = chosen?.get(sensor);
    if (chosen !== undefined && choice === undefined) return undefined;
    const value = choice?.values?.[variable];
    const sensorId = judgeSensorId(choice?.as ?? sensor);
    if (typeof sensorId !== 'string') return sensorId.refused;
    const valueName = value?.as ?? toValueName(variable);
    if (valueName === undefined) return 'bad-value-name';
    const series = `${sensorId}\n${valueName}`;
    const holder = JSON.stringify([sensor, variable]);
    if ((taken.get(series) ?? holder) !== holder) return 'name-collision';
    taken.set(series, holder);
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
      if (!known.has(key)) known.set(key, ruleOf(sensor, variable));
      return known.get(key);
    },
  };
}
