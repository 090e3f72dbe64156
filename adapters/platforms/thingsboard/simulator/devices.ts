import type { DeviceSpec, TruthSpec } from '../../../../src/simulator/truth.ts';
import { wholeNumberParameter, word } from './parameters.ts';
import { badRequest } from './replies.ts';

/** The only customer; every device is assigned to it. */
export const customerId = '00000000-0000-4000-9000-000000000001';
const tenantId = '00000000-0000-4000-9000-000000000002';

/** `GET …/deviceInfos`: one page of the devices, 400 unless both `pageSize` and `page` are given. */
export function devicePage(truth: TruthSpec, query: URLSearchParams, unsorted: 'created' | 'changing'): unknown {
  const pageSize = wholeNumberParameter(query, 'pageSize', 1);
  const page = wholeNumberParameter(query, 'page', 0);
  const sorted = select(truth.devices, query);
  const isChanged = unsorted === 'changing' && !query.has('sortProperty') && page % 2 === 1;
  const devices = isChanged ? sorted.toReversed() : sorted;
  return {
    data: devices.slice(page * pageSize, (page + 1) * pageSize).map((device) => deviceInfo(device, truth.firstMs)),
    totalPages: Math.ceil(devices.length / pageSize),
    totalElements: devices.length,
    hasNext: (page + 1) * pageSize < devices.length,
  };
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** `GET /api/devices?deviceIds=a,b`: those of the devices that there are; 400 for a text that is no id. */
export function devicesWithIds(truth: TruthSpec, query: URLSearchParams): unknown {
  const ids = (query.get('deviceIds') ?? '').split(',');
  const odd = ids.find((id) => !uuid.test(id));
  if (odd !== undefined) throw badRequest(`Invalid UUID string: ${odd}`);
  return truth.devices.filter(({ id }) => ids.includes(id)).map((device) => deviceInfo(device, truth.firstMs));
}

function select(devices: readonly DeviceSpec[], query: URLSearchParams): DeviceSpec[] {
  const property = word(query, 'sortProperty', ['createdTime', 'name']);
  const order = word(query, 'sortOrder', ['ASC', 'DESC']);
  if (query.has('deviceProfileId')) throw badRequest('deviceProfileId is not simulated');
  const active = word(query, 'active', ['any', 'true', 'false']);
  const wanted = devices.filter(
    (device) =>
      device.name.toLowerCase().includes(query.get('textSearch')?.toLowerCase() ?? '') &&
      (query.get('type') ?? typeOf(device)) === typeOf(device) &&
      (active === 'any' || String(device.keys.length > 0) === active),
  );
  // The truth lists the devices in the order of their creation.
  const sorted = property === 'name' ? wanted.toSorted((one, other) => (one.name < other.name ? -1 : 1)) : wanted;
  return order === 'ASC' ? sorted : sorted.toReversed();
}

function deviceInfo(device: DeviceSpec, createdTime: number): unknown {
  return {
    id: { entityType: 'DEVICE', id: device.id },
    createdTime,
    tenantId: { entityType: 'TENANT', id: tenantId },
    customerId: { entityType: 'CUSTOMER', id: customerId },
    name: device.name,
    type: typeOf(device),
    label: '',
    deviceProfileName: typeOf(device),
    active: device.keys.length > 0,
  };
}

function typeOf(device: DeviceSpec): string {
  return device.name.replace(/-\d+$/, '');
}
