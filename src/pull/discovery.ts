import { BridgeError } from '../core/errors.ts';
import { HOUR } from '../core/instant.ts';
import { collisions } from '../core/naming.ts';
import { printable, printableJson } from '../database/printable.ts';
import type { Sensor } from '../platform/contract.ts';
import type { Bridge } from './bridge.ts';
import { holdsClaim, streamsOf } from './claim.ts';
import type { ClaimedSource } from './claim.ts';
import { newMeter } from '../platform/connection/index.ts';
import { planStreams } from './stream-plan.ts';
import type { PlannedStream } from './stream-plan.ts';
import type { OpenSource, Stream } from './open-source.ts';

/** A source that reads all sensors looks for new ones this often. */
const LOOK_AGAIN = HOUR;

/**
 * The streams to poll. Where a look for sensors is due, it comes first and gives new sensors a stream.
 * Throws `cancelled` where the source was changed meanwhile, because its sensors may be others now.
 */
export async function discoverWhenDue(
  bridge: Bridge,
  source: OpenSource,
  claimed: ClaimedSource,
  signal: AbortSignal,
): Promise<readonly Stream[]> {
  const { discovered_at: discoveredAt } = claimed;
  const stale = source.config.sensors === 'all' && (discoveredAt ?? 0) < bridge.clock.now() - LOOK_AGAIN;
  if (discoveredAt !== null && !stale) return claimed.streams;
  const sensors = await sensorsOf(source, signal);
  return await storeStreams(bridge, source, claimed.streams, sensors);
}

/** All sensors to read: as discovered, or as the operator listed them. */
export async function sensorsOf(source: OpenSource, signal: AbortSignal): Promise<readonly Sensor[]> {
  const { sensors } = source.config;
  if (
    sensors !== 'all' &&
    !source.platform.limits.namesVariables &&
    sensors.every((sensor) => sensor.group !== undefined)
  ) {
    return sensors.map(({ id, group }) => ({ id, ...(group === undefined ? {} : { group }) }));
  }
  const http = source.connection.http({ lane: 'live', signal, meter: newMeter() });
  const found: Sensor[] = [];
  for await (const sensor of source.platform.sensors(http, source.options)) found.push(sensor);
  const wanted = sensors === 'all' ? found : chosenFrom(found, sensors, source);
  for (const sensor of wanted) refuseCollisions(sensor, source);
  return wanted;
}

/** The sensors an operator chose. An identifier without a group stands for the sensor of that name in every group. */
function chosenFrom(
  found: readonly Sensor[],
  sensors: readonly { id: string; group?: string | undefined }[],
  source: OpenSource,
): Sensor[] {
  const byId = Map.groupBy(found, (sensor) => sensor.id);
  return sensors.flatMap(({ id, group }) => {
    const named = byId.get(id)?.filter((sensor) => group === undefined || sensor.group === group) ?? [];
    if (named.length > 0) return named;
    const examples = found.slice(0, 3).map((one) => one.id);
    throw new BridgeError({ code: 'config-invalid', path: 'sensors' }, `there is no sensor ${id} on ${source.name}`, {
      remedy:
        examples.length > 0
          ? `there are, for example: ${examples.join(' ; ')}`
          : 'the platform shows no sensors at all',
    });
  });
}

/** Throws `config-invalid` where two variables of a sensor would become one series, because the operator has to name one of them. */
function refuseCollisions(sensor: Sensor, source: OpenSource): void {
  const choices = source.config.sensors;
  const mapped = choices === 'all' ? undefined : choices.find(({ id }) => id === sensor.id)?.values;
  const free = (sensor.variables ?? []).filter((variable) => mapped?.[variable]?.as === undefined);
  const [collision] = collisions(free);
  if (!collision) return;
  throw new BridgeError({ code: 'config-invalid', path: 'sensors' }, `sensor ${sensor.id}: ${collision.message}`, {
    remedy: collision.remedy,
  });
}

async function storeStreams(
  bridge: Bridge,
  source: OpenSource,
  existing: readonly Stream[],
  sensors: readonly Sensor[],
): Promise<readonly Stream[]> {
  const { limits } = source.platform;
  const planned = planStreams(sensors, existing, {
    sensorsPerRead: limits.sensorsPerRead,
    namesVariables: limits.namesVariables,
    all: source.config.sensors === 'all',
  });
  const streams = await bridge.database.transaction(async (client) => {
    const claim = { sourceId: source.id, revision: source.revision, workerId: bridge.workerId };
    if (!(await holdsClaim(client, claim))) {
      throw new BridgeError({ code: 'cancelled' }, 'the source was changed while its sensors were looked up');
    }
    for (const stream of planned.added) await client.query(...inserted(source.id, stream));
    await client.query(`update stream set retired_at = now(), key = key || '~' || id where id = any($1)`, [
      planned.retired,
    ]);
    for (const { id, selection } of planned.narrowed) {
      await client.query('update stream set selection = $2 where id = $1', [id, printableJson(selection)]);
    }
    // A running backfill covers every stream of its source, so it takes in streams that were found after it began.
    await client.query(
      `insert into backfill_stream (backfill_id, stream_id)
       select backfill.id, stream.id from backfill join stream using (source_id)
       where source_id = $1 and state = 'running' and retired_at is null on conflict do nothing`,
      [source.id],
    );
    await client.query(
      `update stream set history_due_at = now() where source_id = $1 and history_due_at is null and retired_at is null
         and exists (select from backfill where source_id = $1 and state = 'running')`,
      [source.id],
    );
    await client.query('update source set discovered_at = now() where id = $1', [source.id]);
    return await streamsOf(client, source.id);
  });
  if (planned.added.length > 0) {
    bridge.log.info({ source: source.name, streams: planned.added.length, sensors: sensors.length }, 'sensors found');
  }
  return streams;
}

const inserted = (sourceId: number, stream: PlannedStream): [text: string, values: unknown[]] => [
  'insert into stream (source_id, source_revision, key, selection, sensors) select id, revision, $2, $3, $4 from source where id = $1',
  [sourceId, printable(stream.key), printableJson(stream.selection), printableJson(stream.sensors)],
];
