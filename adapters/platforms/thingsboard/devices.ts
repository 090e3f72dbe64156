import { z } from 'zod';
import { BridgeError, configInvalid, rightMissing } from '../../../src/core/errors.ts';
import type { Http, Sensor } from '../../../src/platform/contract.ts';
import { answer } from '../../../src/platform/answer.ts';
import { broken, entityId, saidIn } from './answer.ts';
import type { ThingsBoardSettings } from './options.ts';
import { currentUser } from './user.ts';

/** A device as the bridge sees it. */
export interface Device {
  /** UUID. */
  readonly id: string;
  readonly name: string;
  /** Its sensor id: `id` or `name`, as the option `sensorId` says. */
  readonly sensor: string;
}

type Naming = Pick<ThingsBoardSettings, 'sensorId' | 'deviceType'>;

const PAGE_SIZE = 100;

/** Without an order, pages of the database may repeat and leave out devices. A name is unique within a tenant. */
const SORTED = { sortProperty: 'name', sortOrder: 'ASC' };

const deviceRow = z.object({ id: entityId, name: z.string(), type: z.string().nullish() });
const deviceRows = z.array(deviceRow);
const devicePage = z.object({ data: z.array(deviceRow), hasNext: z.boolean() });
const keyNames = z.array(z.string());

/** Every sensor of the source: one request for each 100 devices, or 50 where the options list their ids, and one for the keys of each. */
export async function* sensors(http: Http, options: ThingsBoardSettings): AsyncGenerator<Sensor> {
  const missing = new Set(options.devices);
  const readable = readableAmong(http, options);
  const areIds = options.devices?.every((name) => UUID.test(name));
  const shown = areIds ? devicesById(http, options, [...missing]) : devices(http, options);
  for await (const device of shown) {
    if (options.devices !== undefined) {
      const listed = [device.id, device.name].filter((name) => options.devices?.includes(name));
      if (listed.length === 0) continue;
      for (const name of listed) missing.delete(name);
    }
    yield* readable.sensorOf(device);
  }
  readable.expectSome();
  if (missing.size > 0) {
    throw configInvalid(
      `the user sees no such device: ${[...missing].join(', ')}`,
      'Correct the entry, which is an id or an exact name, or assign the device to the customer of the user.',
      'options.devices',
    );
  }
}

/**
 * The sensors with these ids: one request for each 50 devices, and one for the keys of each. Names cannot be asked for in one
 * request, so then all devices are listed, but only the keys of these are.
 */
export async function* find(http: Http, options: ThingsBoardSettings, ids: readonly string[]): AsyncGenerator<Sensor> {
  const wanted = new Set(ids);
  const readable = readableAmong(http, options);
  const shown = options.sensorId === 'id' ? devicesById(http, options, ids) : devices(http, options);
  for await (const device of shown) {
    const isChosen = options.devices?.some((name) => name === device.id || name === device.name) ?? true;
    if (isChosen && wanted.has(device.sensor)) yield* readable.sensorOf(device);
  }
  readable.expectSome();
}

/** In the id of a device, which the platform does not search; or a backslash, which escapes characters in its databases. */
const NOT_SEARCHABLE = /^[\da-f-]*$|\\/i;

/**
 * The devices whose name holds a text, in capitals or not (`textSearch` in thingsboard-java-client ce/spec/openapi.json): one request
 * for each 100 of them, and one for the keys of each.
 */
export async function* search(http: Http, options: ThingsBoardSettings, text: string): AsyncGenerator<Sensor> {
  if (options.devices !== undefined || NOT_SEARCHABLE.test(text)) return yield* sensors(http, options);
  const readable = readableAmong(http, options);
  for await (const device of devices(http, options, text)) yield* readable.sensorOf(device);
  readable.expectSome();
}

/** Devices that the user may list and not read are no sensors; `expectSome` throws where none of several may be read. */
function readableAmong(
  http: Http,
  options: ThingsBoardSettings,
): { sensorOf(device: Device): AsyncGenerator<Sensor>; expectSome(): void } {
  let isSome = false;
  let refused: string | undefined;
  return {
    async *sensorOf({ id, name, sensor }) {
      const keys = await keysOf(http, id);
      if ('refused' in keys) {
        refused = keys.refused;
        return;
      }
      isSome = true;
      const variables = keys.filter((key) => options.keys?.includes(key) ?? true);
      yield { id: sensor, name, variables, group: id };
    },
    expectSome() {
      if (refused === undefined || isSome) return;
      throw rightMissing(
        `ThingsBoard lets the user list devices and read none of them: ${refused}`,
        'Give the role of the user the right to read telemetry of devices.',
      );
    },
  };
}

/** Ours: the request line stays at 2 kB. */
const IDS_PER_REQUEST = 50;

/** The server answers 400 to an id that is none. */
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Throws where the user sees no such device. One request. */
export async function confirmDevice(http: Http, id: string): Promise<void> {
  for await (const device of devicesById(http, { sensorId: 'id' }, [id])) if (device.id === id) return;
  throw unknownDevice(id, 'it is not among the devices of the user');
}

/** Those of these devices that the user may see (DeviceController, getDevicesByIds). */
async function* devicesById(http: Http, options: Naming, ids: readonly string[]): AsyncGenerator<Device> {
  const asked = ids.filter((id) => UUID.test(id));
  for (let begin = 0; begin < asked.length; begin += IDS_PER_REQUEST) {
    const deviceIds = asked.slice(begin, begin + IDS_PER_REQUEST).join(',');
    const { data } = await http.get<unknown>('/api/devices', { params: { deviceIds } });
    for (const row of answer(deviceRows, data, 'ThingsBoard devices by id')) {
      if (options.deviceType === undefined || row.type === options.deviceType) yield deviceOf(row, options);
    }
  }
}

/** Every device the user may see (of `deviceType`, where it is set; with `textSearch` in its name), in pages while the platform says `hasNext`. */
export async function* devices(http: Http, options: ThingsBoardSettings, textSearch?: string): AsyncGenerator<Device> {
  const { devicesPath } = await currentUser(http);
  const ids = new Set<string>();
  const sensorIds = new Set<string>();
  for (let page = 0; ; page += 1) {
    const { data } = await http.get<unknown>(devicesPath, {
      params: {
        pageSize: PAGE_SIZE,
        page,
        ...SORTED,
        ...(options.deviceType === undefined ? {} : { type: options.deviceType }),
        ...(textSearch === undefined ? {} : { textSearch }),
      },
    });
    const { data: rows, hasNext } = answer(devicePage, data, `ThingsBoard devices, page ${page}`);
    const before = ids.size;
    for (const row of rows) {
      const device = deviceOf(row, options);
      if (ids.has(device.id)) continue;
      if (sensorIds.has(device.sensor)) throw ambiguous(device.sensor);
      ids.add(device.id);
      sensorIds.add(device.sensor);
      yield device;
    }
    if (!hasNext) return;
    if (ids.size === before)
      throw broken(`ThingsBoard devices, page ${page}: says there is more, but repeats itself`, data);
  }
}

/** The names of the time series that a device has at this moment. */
export async function timeSeriesKeys(http: Http, device: string): Promise<readonly string[]> {
  const keys = await keysOf(http, device);
  if ('refused' in keys) throw await deviceRefused(http, device, keys.refused);
  return keys;
}

async function keysOf(http: Http, device: string): Promise<readonly string[] | { readonly refused: string }> {
  const path = `/api/plugins/telemetry/DEVICE/${encodeURIComponent(device)}/keys/timeseries`;
  const { status, data } = await http.get<unknown>(path, { expect: [403, 404] });
  if (status === 403) return { refused: saidIn(status, data) };
  if (status === 404) throw unknownDevice(device, saidIn(status, data));
  return answer(keyNames, data, `keys of device ${device}`);
}

/**
 * One device that the user may list and not read must not stop the source, so it is not `credentials-rejected`. Throws where the
 * user may not even ask who it is.
 */
export async function deviceRefused(http: Http, device: string, said: string): Promise<BridgeError> {
  await currentUser(http);
  return new BridgeError(
    { code: 'contract-broken' },
    `ThingsBoard does not let the user read device ${device}: ${said}`,
    {
      remedy: 'give the role of the user the right to read telemetry of this device, or take it out of the source',
    },
  );
}

/**
 * A device that is gone is not an empty window, because its past would then count as fetched (law 5). It is not
 * `config-invalid` either, because that would stop the whole source: only the stream of this device waits.
 */
export const unknownDevice = (device: string, said: string): BridgeError =>
  new BridgeError({ code: 'contract-broken' }, `ThingsBoard knows no device ${device}: ${said}`, {
    remedy: 'assign it to the customer of the user again, or take it out of the source; it may have been deleted',
  });

const ambiguous = (name: string): BridgeError =>
  configInvalid(`two devices are named ${name}`, 'name sensors by device id: `sensorId: id`', 'options.sensorId');

const deviceOf = ({ id: { id }, name }: z.output<typeof deviceRow>, options: Naming): Device => ({
  id,
  name,
  sensor: options.sensorId === 'name' ? name : id,
});
