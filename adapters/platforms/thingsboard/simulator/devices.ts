import type { DeviceSpec, TruthSpec } from '../../../../src/simulator/truth.ts';
import { requiredWholeNumber, word } from './parameters.ts';
import { badRequest } from './replies.ts';

/** The only customer; every device is assigned to it. */
export const customerId = '00000000-0000-4000-9000-000000000001';
const tenantId = '00000000-0000-4000-9000-000000000002';

/** `GET …/deviceInfos`: one page of the devices, 400 unless both `pageSize` and `page` are given. */
export function devicePage(truth: TruthSpec, query: URLSearchParams): unknown {
  const pageSize = requiredWholeNumber(query, 'pageSize', 1);
  const page = requiredWholeNumber(query, 'page', 0);
  const devices = select(truth.devices, query);
  return {
    data: devices.slice(page * pageSize, (page + 1) * pageSize).map((device) => deviceInfo(device, truth.firstMs)),
    totalPages: Math.ceil(devices.length / pageSize),
    totalElements: devices.length,
    hasNext: (page + 1) * pageSize < devices.length,
  };
}

function select(devices: readonly DeviceSpec[], query: URLSearchParams): DeviceSpec[] {
  const property = word(query, 'sortProperty', ['createdTime', 'name']);
  const direction = word(query, 'sortOrder', ['ASC', 'DESC']) === 'ASC' ? 1 : -1;
  if (query.has('deviceProfileId')) throw badRequest('deviceProfileId is not simulated');
  const active = word(query, 'active', ['any', 'true', 'false']);
  const wanted = devices.filter(
    (device) =>
      device.name.toLowerCase().includes(query.get('textSearch')?.toLowerCase() ?? '') &&
      (query.get('type') ?? typeOf(device)) === typeOf(device) &&
      (active === 'any' || String(device.keys.length > 0) === active),
  );
  const order = new Map(devices.map((device, index) => [device, index]));
  const byCreation = (a: DeviceSpec, b: DeviceSpec) => (order.get(a) ?? 0) - (order.get(b) ?? 0);
  const byName = (a: DeviceSpec, b: DeviceSpec) => (a.name < b.name ? -1 : 1);
  return wanted.toSorted((a, b) => direction * (property === 'name' ? byName(a, b) : byCreation(a, b)));
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
