import type { Selection, Sensor } from '../../platform/contract.ts';
import type { SourceConfig } from '../../core/source/source.ts';
import type { Stream } from '../open/open-source.ts';

/** A new stream, not stored yet. */
export interface PlannedStream {
  readonly key: string;
  readonly selection: Selection;
  readonly sensors: readonly Sensor[];
  /** Ids of retired streams that read all of its sensors. The time that all of them covered is covered for it, too. */
  readonly inherits: readonly number[];
}

export interface StreamRules {
  readonly sensorsPerRead: number;
  readonly namesVariables: boolean;
  /** A group with more series than this is split, because a window of it would hold more than a reading of each. */
  readonly mostSeries: number;
  /** `all`: every sensor of the source, also those that appear later. Otherwise the list of the operator. */
  readonly chosen: SourceConfig['sensors'];
}

/** The changes to the streams of a source. */
export interface StreamPlan {
  readonly added: readonly PlannedStream[];
  /** Ids of streams without a sensor that the operator chose. */
  readonly retired: readonly number[];
  /** Streams that lose some of their sensors. A sensor that comes back later gets a new stream with empty coverage. */
  readonly narrowed: readonly { readonly id: number; readonly selection: Selection }[];
}

/** The part of a stream that planning needs. */
export type KnownStream = Pick<Stream, 'id' | 'key' | 'selection'>;

type Place = Pick<Sensor, 'id'> & { readonly group?: string | undefined };

/** A test for the sensors of a list. An entry without a group stands for the sensors of that name in every group. */
export function listedIn(entries: readonly Place[]): (sensor: Place) => boolean {
  const names = new Set(entries.map(({ id, group }) => JSON.stringify([id, group])));
  return ({ id, group }) => names.has(JSON.stringify([id, undefined])) || names.has(JSON.stringify([id, group]));
}

/** The entries of the operator's list of which the platform shows no sensor. */
export function missingFrom<Entry extends Place>(sensors: readonly Sensor[], entries: readonly Entry[]): Entry[] {
  const shown = listedIn(sensors);
  const ids = new Set(sensors.map(({ id }) => id));
  return entries.filter((entry) => (entry.group === undefined ? !ids.has(entry.id) : !shown(entry)));
}

/** A part of a group that was split has at most this share of `mostSeries`, so that a window holds several readings of each. */
const PARTS_OF_MOST = 5;

/**
 * Puts sensors into streams. A sensor that a stream reads already stays there, with its coverage. A new sensor gets a
 * stream of its own with empty coverage, so that its past is filled without reading the other sensors again. Where a
 * group is read whole from now on, or in parts, the new streams inherit the coverage of the old ones.
 */
export function planStreams(
  sensors: readonly Sensor[],
  existing: readonly KnownStream[],
  rules: StreamRules,
): StreamPlan {
  const added: PlannedStream[] = [];
  const byGroup = Map.groupBy(sensors, (sensor) => sensor.group);
  const wholeGroups = wholeGroupsOf(byGroup, existing, rules);
  const { kept, retired, narrowed } = sortExisting(sensors, existing, wholeGroups, rules);
  const unusedKey = unusedKeyOf(existing.map((stream) => stream.key));
  const keptIn = Map.groupBy(kept, ({ selection }) => selection.group);
  const retiredIn = Map.groupBy(retired, ({ selection }) => selection.group);
  for (const [group, members] of byGroup) {
    const streams = keptIn.get(group) ?? [];
    const inherits = rules.namesVariables ? [] : testators(members, retiredIn.get(group) ?? []);
    if (group !== undefined && wholeGroups.has(group)) {
      if (streams.some((stream) => stream.selection.sensors === undefined)) continue;
      const selection = { group, sensors: undefined, variables: undefined };
      added.push({ key: unusedKey(group), selection, sensors: members, inherits });
      continue;
    }
    for (const chunk of chunks(unread(members, streams, rules), rules)) {
      const variables = rules.namesVariables
        ? [...new Set(chunk.flatMap((sensor) => sensor.variables ?? []))]
        : undefined;
      const selection = { group, sensors: chunk.map((sensor) => sensor.id), variables };
      added.push({ key: unusedKey(group ?? chunk[0]?.id ?? 'stream'), selection, sensors: chunk, inherits });
    }
  }
  return { added, retired: retired.map(({ id }) => id), narrowed };
}

/** Gives out keys that no stream of the source has. */
export function unusedKeyOf(existing: readonly string[]): (wanted: string) => string {
  const keys = new Set(existing);
  return (wanted) => {
    let key = wanted;
    for (let copy = 2; keys.has(key); copy += 1) key = `${wanted}#${copy}`;
    keys.add(key);
    return key;
  };
}

/**
 * The groups that one stream reads whole, with every sensor that appears in them later. A group that is too large is read in
 * parts, and stays so while its parts list that many sensors, whatever the platform shows today.
 */
function wholeGroupsOf(
  byGroup: ReadonlyMap<string | undefined, readonly Sensor[]>,
  existing: readonly KnownStream[],
  rules: StreamRules,
): ReadonlySet<string> {
  const listed = new Map<string | undefined, number>();
  for (const { selection } of existing) {
    const { group, sensors = [] } = selection;
    listed.set(group, (listed.get(group) ?? 0) + sensors.length);
  }
  const groups = [...byGroup].filter(
    ([group, members]) => Math.max(seriesIn(members), listed.get(group) ?? 0) <= rules.mostSeries,
  );
  return new Set(groups.flatMap(([group]) => (mayBeWhole(group, rules) ? [group] : [])));
}

const seriesOf = ({ variables = [] }: Sensor): number => Math.max(1, variables.length);

const seriesIn = (sensors: readonly Sensor[]): number =>
  sensors.reduce((series, sensor) => series + seriesOf(sensor), 0);

/** The retired streams whose common coverage holds for each of these sensors; none where one of them was not read. */
function testators(members: readonly Sensor[], retired: readonly KnownStream[]): readonly number[] {
  const whole = retired.find(({ selection }) => selection.sensors === undefined);
  if (whole !== undefined) return [whole.id];
  const listed = new Set(retired.flatMap(({ selection }) => selection.sensors ?? []));
  return members.every(({ id }) => listed.has(id)) ? retired.map(({ id }) => id) : [];
}

/** Whether the platform and the operator allow that one stream reads a whole group, however many sensors it comes to have. */
const mayBeWhole = (group: string | undefined, rules: StreamRules): group is string =>
  rules.chosen === 'all' && group !== undefined && !rules.namesVariables && rules.sensorsPerRead === Infinity;

/** The sensors with the variables that no stream reads yet. */
function unread(members: readonly Sensor[], streams: readonly KnownStream[], rules: StreamRules): Sensor[] {
  const whole = streams.filter(({ selection }) => selection.sensors === undefined);
  const listing = new Map<string, KnownStream[]>();
  for (const stream of streams) {
    for (const sensor of stream.selection.sensors ?? []) {
      const others = listing.get(sensor);
      if (others === undefined) listing.set(sensor, [stream]);
      else others.push(stream);
    }
  }
  return members.flatMap((sensor) => {
    const reading = [...whole, ...(listing.get(sensor.id) ?? [])];
    if (!rules.namesVariables) return reading.length > 0 ? [] : [sensor];
    const read = new Set(reading.flatMap(({ selection }) => selection.variables ?? []));
    const variables = (sensor.variables ?? []).filter((variable) => !read.has(variable));
    return variables.length > 0 ? [{ ...sensor, variables }] : [];
  });
}

/** Sensors that one read may take together. Where a read names its variables, they all have the same ones. */
function* chunks(sensors: readonly Sensor[], rules: StreamRules): Generator<Sensor[]> {
  const alike = Map.groupBy(sensors, (sensor) => (rules.namesVariables ? JSON.stringify(sensor.variables) : ''));
  const mostSeries = Math.max(1, Math.floor(rules.mostSeries / PARTS_OF_MOST));
  for (const members of alike.values()) {
    let chunk: Sensor[] = [];
    let series = 0;
    for (const sensor of members) {
      series += seriesOf(sensor);
      if (chunk.length > 0 && (chunk.length >= rules.sensorsPerRead || series > mostSeries)) {
        yield chunk;
        chunk = [];
        series = seriesOf(sensor);
      }
      chunk.push(sensor);
    }
    if (chunk.length > 0) yield chunk;
  }
}

/**
 * Sorts the stored streams into kept, narrowed and retired ones. The operator's choice alone retires a stream or narrows it,
 * never a sensor that the platform does not show: it may be back in an hour, an empty window costs one request, and a
 * retired stream loses its coverage. Where the operator takes all sensors, a stream is retired only where its group is
 * read in the other form from now on, whole or in parts. A stream of a whole group stays while a listed sensor that may be in it is not shown.
 */
function sortExisting(
  sensors: readonly Sensor[],
  existing: readonly KnownStream[],
  wholeGroups: ReadonlySet<string>,
  { chosen }: StreamRules,
): ReturnType<typeof sorted> {
  const groups = new Set(sensors.map(({ group }) => group));
  const missing = chosen === 'all' ? [] : missingFrom(sensors, chosen);
  return sorted(existing, chosen, ({ group, sensors: read }, left) => {
    if (chosen === 'all')
      return groups.has(group) && (read === undefined) !== (group !== undefined && wholeGroups.has(group));
    if (left === undefined) return !missing.some((entry) => entry.group === undefined || entry.group === group);
    return left.length === 0;
  });
}

/** Sorts streams by what a choice leaves of their lists. `ends` is told `left`, undefined for the stream of a whole group. */
function sorted(
  existing: readonly KnownStream[],
  chosen: SourceConfig['sensors'],
  ends: (selection: Selection, left: readonly string[] | undefined) => boolean,
): Pick<StreamPlan, 'narrowed'> & Readonly<Record<'kept' | 'retired', readonly KnownStream[]>> {
  const isChosen = chosen === 'all' ? () => true : listedIn(chosen);
  const kept: KnownStream[] = [];
  const retired: KnownStream[] = [];
  const narrowed: { id: number; selection: Selection }[] = [];
  for (const stream of existing) {
    const { id, selection } = stream;
    const { group, sensors } = selection;
    const left = sensors?.filter((sensor) => isChosen({ id: sensor, group }));
    const list = ends(selection, left) ? retired : kept;
    list.push(stream);
    if (list === kept && left?.length !== sensors?.length)
      narrowed.push({ id, selection: { ...selection, sensors: left } });
  }
  return { kept, retired, narrowed };
}

/** Another choice of sensors. `before` is undefined where it is not known. */
export interface Choice {
  readonly before: SourceConfig['sensors'] | undefined;
  readonly chosen: SourceConfig['sensors'];
}

/**
 * The changes to streams that follow from another choice of sensors alone, before a look. A stream that went on reading a sensor
 * that is not chosen would cover time whose points are dropped, and the sensor would have a hole when it is chosen again. The
 * stream of a whole group cannot leave a sensor out, so it ends where a sensor is chosen whose points it may have dropped.
 */
export function afterChoice(
  existing: readonly KnownStream[],
  choice: Choice,
): Pick<StreamPlan, 'retired' | 'narrowed'> {
  const { retired, narrowed } = sorted(existing, choice.chosen, ({ group }, left) =>
    left === undefined ? mayHaveDropped(group, choice) : left.length === 0,
  );
  return { retired: retired.map(({ id }) => id), narrowed };
}

/** Whether a sensor of the group is chosen now that was not chosen before. */
function mayHaveDropped(group: string | undefined, { before, chosen }: Choice): boolean {
  if (before === 'all') return false;
  if (before === undefined || chosen === 'all') return true;
  const wasChosen = listedIn(before);
  const ofGroup = chosen.filter((entry) => entry.group === undefined || entry.group === group);
  return !ofGroup.every(({ id, group: own = group }) =>
    wasChosen({ id, ...(own === undefined ? {} : { group: own }) }),
  );
}

/** Ids of streams none of whose sensors the platform showed in a complete look. */
export function absentFrom(sensors: readonly Sensor[], streams: readonly KnownStream[]): number[] {
  const shown = new Set(sensors.map(({ group, id }) => JSON.stringify([group, id])));
  const groups = new Set(sensors.map(({ group }) => group));
  return streams
    .filter(({ selection: { group, sensors: read } }) =>
      read === undefined ? !groups.has(group) : !read.some((sensor) => shown.has(JSON.stringify([group, sensor]))),
    )
    .map(({ id }) => id);
}

/** Whether the stream of a sensor does not depend on sensors that are found later, so that it can be made at once. */
export const readsAlone = ({ sensorsPerRead }: StreamRules): boolean => sensorsPerRead === 1;
