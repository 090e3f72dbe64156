import type { Selection, Sensor } from '../platform/contract.ts';
import type { Stream } from './open-source.ts';

/** A new stream, not stored yet. */
export interface PlannedStream {
  readonly key: string;
  readonly selection: Selection;
  readonly sensors: readonly Sensor[];
}

export interface StreamRules {
  readonly sensorsPerRead: number;
  readonly namesVariables: boolean;
  /** The operator wants every sensor of the source, also those that appear later. */
  readonly all: boolean;
}

/** The changes to the streams of a source. */
export interface StreamPlan {
  readonly added: readonly PlannedStream[];
  /** Ids of streams without a wanted sensor. */
  readonly retired: readonly number[];
  /** Streams that lose some of their sensors. A sensor that comes back later gets a new stream with empty coverage. */
  readonly narrowed: readonly { readonly id: number; readonly selection: Selection }[];
}

/** The part of a stream that planning needs. */
type Known = Pick<Stream, 'id' | 'key' | 'selection'>;

/**
 * Puts sensors into streams. A sensor that a stream reads already stays there, with its coverage. A new sensor gets a
 * stream of its own with empty coverage, so that its past is filled without reading the other sensors again.
 */
export function planStreams(sensors: readonly Sensor[], existing: readonly Known[], rules: StreamRules): StreamPlan {
  const added: PlannedStream[] = [];
  const { kept, retired, narrowed } = sortExisting(sensors, existing, rules);
  const keys = new Set(existing.map((stream) => stream.key));
  const unusedKey = (wanted: string): string => {
    let key = wanted;
    for (let copy = 2; keys.has(key); copy += 1) key = `${wanted}#${copy}`;
    keys.add(key);
    return key;
  };
  for (const [group, members] of Map.groupBy(sensors, (sensor) => sensor.group)) {
    const streams = kept.filter((stream) => stream.selection.group === group);
    if (isWhole(group, rules)) {
      if (streams.some((stream) => stream.selection.sensors === undefined)) continue;
      added.push({
        key: unusedKey(group),
        selection: { group, sensors: undefined, variables: undefined },
        sensors: members,
      });
      continue;
    }
    const missing = members
      .map((sensor) => withoutRead(sensor, streams, rules))
      .filter((sensor) => sensor !== undefined);
    for (const chunk of chunks(missing, rules)) {
      const variables = rules.namesVariables
        ? [...new Set(chunk.flatMap((sensor) => sensor.variables ?? []))]
        : undefined;
      const selection = { group, sensors: chunk.map((sensor) => sensor.id), variables };
      added.push({ key: unusedKey(group ?? chunk[0]?.id ?? 'stream'), selection, sensors: chunk });
    }
  }
  return { added, retired, narrowed };
}

/** Whether one stream reads a whole group, with every sensor that appears in it later. */
const isWhole = (group: string | undefined, rules: StreamRules): group is string =>
  rules.all && group !== undefined && !rules.namesVariables;

/** The sensor with the variables that no stream reads yet; undefined where streams read all of it. */
function withoutRead(sensor: Sensor, streams: readonly Known[], rules: StreamRules): Sensor | undefined {
  const reading = streams.filter(
    ({ selection }) => selection.sensors === undefined || selection.sensors.includes(sensor.id),
  );
  if (!rules.namesVariables) return reading.length > 0 ? undefined : sensor;
  const read = new Set(reading.flatMap(({ selection }) => selection.variables ?? []));
  const variables = (sensor.variables ?? []).filter((variable) => !read.has(variable));
  return variables.length > 0 ? { ...sensor, variables } : undefined;
}

/** Sensors that one read may take together. Where a read names its variables, they all have the same ones. */
function* chunks(sensors: readonly Sensor[], rules: StreamRules): Generator<Sensor[]> {
  const alike = Map.groupBy(sensors, (sensor) => (rules.namesVariables ? JSON.stringify(sensor.variables) : ''));
  for (const members of alike.values()) {
    const size = Math.min(rules.sensorsPerRead, members.length);
    for (let begin = 0; begin < members.length; begin += size) yield members.slice(begin, begin + size);
  }
}

/**
 * Sorts the stored streams into kept, narrowed and retired ones. Where the operator wants all sensors, a stream stays even
 * if the platform does not show its sensors today, because they may be back in an hour and an empty window costs one
 * request. It is retired only where another stream reads its whole group from now on.
 */
function sortExisting(
  sensors: readonly Sensor[],
  existing: readonly Known[],
  rules: StreamRules,
): Pick<StreamPlan, 'retired' | 'narrowed'> & { readonly kept: readonly Known[] } {
  const wanted = new Set(sensors.map(({ group, id }) => JSON.stringify([group, id])));
  const groups = new Set(sensors.map(({ group }) => group));
  const kept: Known[] = [];
  const retired: number[] = [];
  const narrowed: { id: number; selection: Selection }[] = [];
  for (const stream of existing) {
    const { id, selection } = stream;
    const { group, sensors: read } = selection;
    const left = rules.all ? read : read?.filter((sensor) => wanted.has(JSON.stringify([group, sensor])));
    const stays = rules.all
      ? read === undefined || !isWhole(group, rules) || !groups.has(group)
      : left !== undefined && left.length > 0;
    if (stays) kept.push(stream);
    else retired.push(id);
    if (stays && left?.length !== read?.length) narrowed.push({ id, selection: { ...selection, sensors: left } });
  }
  return { kept, retired, narrowed };
}
