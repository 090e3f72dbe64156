import type { Selection, Sensor } from '../platform/contract.ts';
import type { Stream } from './open-source.ts';

/** A stream to be made. */
export interface PlannedStream {
  readonly key: string;
  readonly selection: Selection;
  readonly sensors: readonly Sensor[];
}

export interface StreamRules {
  readonly sensorsPerRead: number;
  readonly namesVariables: boolean;
  /** Every sensor of the source is wanted, also those that appear later. */
  readonly all: boolean;
}

/** What becomes of the streams of a source. */
export interface StreamPlan {
  readonly added: readonly PlannedStream[];
  /** Streams that read nothing wanted any more. */
  readonly retired: readonly number[];
  /** Streams that read less from now on. What left one is not covered any more, should it come back. */
  readonly narrowed: readonly { readonly id: number; readonly selection: Selection }[];
}

/** As much of a stream as planning asks for. */
type Known = Pick<Stream, 'id' | 'key' | 'selection'>;

/**
 * Puts sensors into streams. What a stream reads already stays where it is, with its coverage; what is new gets a
 * stream of its own, whose coverage is empty, so that its past is filled without reading the others again.
 */
export function planStreams(sensors: readonly Sensor[], existing: readonly Known[], rules: StreamRules): StreamPlan {
  const added: PlannedStream[] = [];
  const { kept, retired, narrowed } = sorted(sensors, existing, rules);
  const keys = new Set(existing.map((stream) => stream.key));
  const claim = (wish: string): string => {
    let key = wish;
    for (let copy = 2; keys.has(key); copy += 1) key = `${wish}#${copy}`;
    keys.add(key);
    return key;
  };
  for (const [group, members] of Map.groupBy(sensors, (sensor) => sensor.group)) {
    const streams = kept.filter((stream) => stream.selection.group === group);
    if (isWhole(group, rules)) {
      if (streams.some((stream) => stream.selection.sensors === undefined)) continue;
      added.push({
        key: claim(group),
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
      added.push({ key: claim(group ?? chunk[0]?.id ?? 'stream'), selection, sensors: chunk });
    }
  }
  return { added, retired, narrowed };
}

/** Whether a group is read as a whole, with whatever appears in it later. */
const isWhole = (group: string | undefined, rules: StreamRules): group is string =>
  rules.all && group !== undefined && !rules.namesVariables;

/** What of a sensor no stream reads yet; undefined where all of it is read. */
function withoutRead(sensor: Sensor, streams: readonly Known[], rules: StreamRules): Sensor | undefined {
  const reading = streams.filter(
    ({ selection }) => selection.sensors === undefined || selection.sensors.includes(sensor.id),
  );
  if (!rules.namesVariables) return reading.length > 0 ? undefined : sensor;
  const read = new Set(reading.flatMap(({ selection }) => selection.variables ?? []));
  const variables = (sensor.variables ?? []).filter((variable) => !read.has(variable));
  return variables.length > 0 ? { ...sensor, variables } : undefined;
}

/** Sensors that one read may take together; where variables are named, only those with the same ones. */
function* chunks(sensors: readonly Sensor[], rules: StreamRules): Generator<Sensor[]> {
  const alike = Map.groupBy(sensors, (sensor) => (rules.namesVariables ? JSON.stringify(sensor.variables) : ''));
  for (const members of alike.values()) {
    const size = Math.min(rules.sensorsPerRead, members.length);
    for (let begin = 0; begin < members.length; begin += size) yield members.slice(begin, begin + size);
  }
}

/**
 * Sorts the streams there are. Where everything is wanted they stay: a sensor that is not shown today may be away for an
 * hour, and an empty window costs one request. Only a group that is read as a whole from now on needs no parts of it.
 */
function sorted(
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
