import { stringify } from 'yaml';
import { commonFields } from '../core/source/schema.ts';
import type { SourceConfig } from '../core/source/source.ts';
import type { Platform, Sensor } from '../platform/contract.ts';
import { openTrial } from './trial.ts';
import type { TrialParts } from './trial.ts';

/** Sensors of a platform, as an operator looks for them. */
export interface FoundSensors {
  /** The product in the platform's own words. */
  readonly product: string;
  /** Those that match, in the order of the platform, each once; at most `limit`. */
  readonly sensors: readonly Sensor[];
  /** Whether these are all that match. The search ends with the first one beyond `limit`, to spare the platform the rest. */
  readonly complete: boolean;
  /** Whether the platform searched, so that sensors that do not match were not all compared here. */
  readonly byPlatform: boolean;
  /** How many sensors were compared. */
  readonly compared: number;
  /** Names of the first sensors that were compared, for a search that finds none. */
  readonly examples: readonly string[];
  /** Requests sent, logins included. */
  readonly requests: number;
}

const EXAMPLES = 3;

interface Search {
  /** A part of an id or a name, in capitals or not; empty for all. */
  readonly search: string;
  readonly limit: number;
}

/**
 * Looks through all sensors that the credentials may read and the options choose, also those that the `sensors` of the source
 * leave out. Saves nothing. Throws every error of the platform.
 */
export async function searchSensors(
  config: SourceConfig,
  platform: Platform,
  given: TrialParts & Search,
): Promise<FoundSensors> {
  const trial = await openTrial(config, platform, given);
  let found: Omit<FoundSensors, 'requests'>;
  try {
    const { product } = await trial.identify();
    const { shown, byPlatform } = trial.everySensor(given.search);
    found = { product, byPlatform, ...(await matchesAmong(shown, given)) };
  } finally {
    await trial.close();
  }
  return { ...found, requests: trial.requests() };
}

/** Walks through `sensors` up to the first match beyond the limit. */
export async function matchesAmong(
  sensors: AsyncIterable<Sensor>,
  { search, limit }: Search,
): Promise<Omit<FoundSensors, 'product' | 'requests' | 'byPlatform'>> {
  const part = search.toLowerCase();
  const matches = new Map<string, Sensor>();
  const examples: string[] = [];
  let compared = 0;
  let complete = true;
  for await (const sensor of sensors) {
    if (sensor.refused !== undefined) continue;
    const { id, name, group } = sensor;
    compared += 1;
    if (examples.length < EXAMPLES) examples.push(name ?? id);
    const key = JSON.stringify([id, group]);
    if (matches.has(key) || ![id, name ?? ''].some((text) => text.toLowerCase().includes(part))) continue;
    complete = matches.size < limit;
    if (!complete) break;
    matches.set(key, sensor);
  }
  return { sensors: [...matches.values()], complete, compared, examples };
}

/** The entries of a source that choose these sensors, without those that no source can name. */
export const chosenEntries = (
  sensors: readonly Sensor[],
): readonly { readonly id: string; readonly group?: string }[] =>
  sensors
    .map(({ id, group }) => ({ id, ...(group === undefined ? {} : { group }) }))
    .filter((entry) => commonFields.sensors.safeParse([entry]).success);

/** The lines of a source file that choose these sensors, and those that no source file can name. */
export function sensorsBlock(sensors: readonly Sensor[]): { readonly yaml: string; readonly unnameable: number } {
  const entries = chosenEntries(sensors);
  return {
    yaml: entries.length === 0 ? '' : stringify({ sensors: entries }, { lineWidth: 0 }),
    unnameable: sensors.length - entries.length,
  };
}
