import { BridgeError } from '../../../src/core/errors.ts';
import type { RefusalReason } from '../../../src/core/reading.ts';
import type { Window } from '../../../src/core/window.ts';
import type { Sensor } from '../../../src/platform/contract.ts';
import { newMeter } from '../../../src/platform/connection/index.ts';
import { readWindow } from '../../../src/pull/fetch-window.ts';
import type { Stream } from '../../../src/pull/open/open-source.ts';
import { planStreams } from '../../../src/pull/sensors/stream-plan.ts';
import type { PlannedStream } from '../../../src/pull/sensors/stream-plan.ts';
import type { Ground } from './ground.ts';

/** A reading as one row. */
export type Row = readonly [sensorId: string, valueName: string, at: number, value: number];

/** Everything that one read of a source brought. */
export interface Outcome {
  readonly rows: readonly Row[];
  /** Refused points by reason. */
  readonly refused: ReadonlyMap<RefusalReason, number>;
  /** Points equal to a later one. */
  readonly repeats: number;
  /** Points that were not asked for. */
  readonly outside: number;
  /** The failure of each stream that failed, and of each sensor that failed alone. */
  readonly failures: readonly BridgeError[];
  /** Sensors that failed while others of their stream were read. */
  readonly failedAlone: readonly string[];
}

const never = new AbortController().signal;

export const httpOf = ({ source }: Ground, signal: AbortSignal = never) =>
  source.connection.http({ lane: 'live', signal, meter: newMeter() });

/** Every sensor that discovery finds, without those that it only tells of. */
export async function sensorsOf(ground: Ground): Promise<Sensor[]> {
  const { platform, options } = ground.source;
  const found: Sensor[] = [];
  for await (const sensor of platform.sensors(httpOf(ground), options))
    if (sensor.refused === undefined) found.push(sensor);
  return found;
}

/** The streams that the bridge would make of every sensor that discovery finds. */
export async function streamsOf(ground: Ground): Promise<readonly PlannedStream[]> {
  const { sensorsPerRead, namesVariables } = ground.subject.platform.facts;
  const rules = { sensorsPerRead, namesVariables, mostSeries: Infinity, chosen: 'all' as const };
  return planStreams(await sensorsOf(ground), [], rules).added;
}

/** Reads a window of every stream, as a poll does. A stream that fails does not stop the others. */
export async function read(
  ground: Ground,
  window: Window,
  {
    streams,
    signal = never,
  }: { readonly streams?: readonly Pick<PlannedStream, 'selection'>[]; readonly signal?: AbortSignal } = {},
): Promise<Outcome> {
  const { source, clock } = ground;
  const rows: Row[] = [];
  const refused = new Map<RefusalReason, number>();
  const failures: BridgeError[] = [];
  const failedAlone: string[] = [];
  let [repeats, outside] = [0, 0];
  for (const { selection } of streams ?? (await streamsOf(ground))) {
    try {
      const given = {
        stream: { selection } as Stream,
        lane: 'live' as const,
        window,
        covered: [],
        place: undefined,
        maxReadings: Infinity,
        now: () => clock.nowMs() * 1000,
      };
      const { batch, failed } = await readWindow(source, given, signal);
      failures.push(...failed.values());
      failedAlone.push(...failed.keys());
      for (const { sensorId, valueName, segments } of batch.columns)
        for (const { at, value } of segments)
          rows.push(...at.map((instant, index): Row => [sensorId, valueName, instant, value[index] as number]));
      for (const [reason, number] of batch.refused) refused.set(reason, (refused.get(reason) ?? 0) + number);
      repeats += batch.repeats;
      outside += batch.outside;
    } catch (error) {
      if (!(error instanceof BridgeError)) throw error;
      failures.push(error);
    }
  }
  return { rows, refused, repeats, outside, failures, failedAlone };
}
