import { BridgeError } from '../core/errors.ts';
import { rowsOf } from '../database/database.ts';
import { printableJson } from '../database/printable.ts';
import type { FailedSensor, Selection, Sensor } from '../platform/contract.ts';
import { addStreams, lockNewStreams } from './sensors/change-streams.ts';
import type { Bridge } from './bridge.ts';
import { actOn } from './consequence.ts';
import type { OpenSource, Stream } from './open/open-source.ts';
import type { Window } from '../core/window.ts';

/** The sensors of a window that failed, with their errors; see `FailedSensor`. */
export type FailedSensors = ReadonlyMap<string, BridgeError>;

/** One sensor's failure as the poll path takes it: its window cannot be read, and the source goes on. */
export const failureOf = ({ sensor, failed }: FailedSensor): BridgeError =>
  failed.code === 'contract-broken'
    ? failed
    : new BridgeError({ code: 'contract-broken' }, `sensor ${sensor}: ${failed.message}`, {
        remedy: failed.remedy,
        cause: failed,
      });

/** Throws where the failures leave no sensor that was read, or are of sensors that the stream does not list. */
export function throwUnlessSomeWereRead(failed: FailedSensors, { sensors }: Pick<Selection, 'sensors'>): void {
  const [first] = failed.values();
  const listed = new Set(sensors);
  if (first !== undefined && (failed.size >= listed.size || ![...failed.keys()].every((id) => listed.has(id))))
    throw first;
}

/**
 * Gives the sensors that failed in a window a stream of their own, which has the coverage so far and waits alone, and takes them
 * out of theirs: this window then covers the other sensors only. Nothing is covered here, so a kill between this and the commit
 * costs a repeat. Throws `cancelled` where the source was changed meanwhile.
 */
export async function setApart(
  bridge: Bridge,
  { source, stream, window }: { readonly source: OpenSource; readonly stream: Stream; readonly window: Window },
  failed: FailedSensors,
): Promise<void> {
  const apart = await bridge.database.transaction(
    async (client): Promise<{ readonly stream: Stream; readonly fault: BridgeError } | undefined> => {
      await lockNewStreams(client, source.id);
      const [row] = await rowsOf<{ selection: Selection; sensors: Sensor[] }>(
        client,
        `select selection, sensors from stream join source on source.id = source_id
       where stream.id = $1 and edition = $2 and retired_at is null for no key update of stream`,
        [stream.id, source.edition],
      );
      if (row === undefined)
        throw new BridgeError({ code: 'cancelled' }, 'the source was changed while a window was read');
      const { selection, sensors } = row;
      const [gone, left] = parted(selection.sensors ?? [], (id) => failed.has(id));
      // Another window of the stream has set them apart already.
      if (gone.length === 0) return undefined;
      const news = new Map([...failed].filter(([id]) => gone.includes(id)));
      throwUnlessSomeWereRead(news, selection);
      const [theirs, others] = parted(sensors, ({ id }) => failed.has(id));
      const [added] = await addStreams(client, source.id, [
        {
          key: gone[0] as string,
          selection: { ...selection, sensors: gone },
          sensors: theirs,
          inherits: [stream.id],
        },
      ]);
      await client.query('update stream set selection = $2, sensors = $3 where id = $1', [
        stream.id,
        printableJson({ ...selection, sensors: left }),
        printableJson(others),
      ]);
      const [fault] = news.values();
      return added && fault && { stream: { ...stream, ...added, failures: 0, historyFailures: 0 }, fault };
    },
  );
  if (apart) await actOn(bridge, source, apart.fault, { failures: 0, stream: apart.stream, window, lane: 'live' });
}

function parted<T>(items: readonly T[], goes: (item: T) => boolean): [gone: T[], left: T[]] {
  return [items.filter((item) => goes(item)), items.filter((item) => !goes(item))];
}
