import type { TruthRecord } from '../../../../src/simulator/records.ts';
import type { DeviceSpec } from '../../../../src/simulator/truth.ts';

/** The machine in the name of a point, `Machine/Point`. */
export const machineOf = ({ name }: DeviceSpec): string => name.split('/')[0] ?? '';

/** The name of the point itself. */
export const pointNameOf = ({ name }: DeviceSpec): string => name.split('/')[1] ?? '';

/** A point as the list of a machine shows it. */
export const pointNode = (device: DeviceSpec, machineId: number): object => ({
  ID: Number(device.id),
  Name: pointNameOf(device),
  Description: '',
  NodeType: 11_101,
  NodeTypeName: 'IMx-1',
  EU: 'mm/s',
  EUType: 3,
  DetectionName: 'RMS',
  ParentID: machineId,
});

/** One row of a trend. A key is a channel with its direction as the last word; `Speed` is a field of the row. */
export function rowOf(device: DeviceSpec, { ts, values }: TruthRecord, marksUtc: boolean): object {
  const time = new Date(ts).toISOString().replace('.000', '');
  const channels = [...values].filter(([key]) => key !== 'Speed');
  return {
    ReadingTimeUTC: marksUtc ? time : time.slice(0, -1),
    PointID: Number(device.id),
    ...(values.has('Speed') && { Speed: values.get('Speed'), SpeedUnits: 'rpm' }),
    Measurements: channels.map(([key, Level]) => {
      const space = key.lastIndexOf(' ');
      return { Direction: key.slice(space + 1), ChannelName: key.slice(0, space), Level, Units: 'mm/s' };
    }),
  };
}

/** The names of all fields in the given style; `mixed` leaves them. `ID` becomes `id`, and back. */
export function withKeys(value: unknown, style: 'mixed' | 'camel' | 'pascal'): unknown {
  if (style === 'mixed' || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((part) => withKeys(part, style));
  const named = (name: string): string => {
    if (name.toLowerCase() === 'id') return style === 'camel' ? 'id' : 'ID';
    const first = name.slice(0, 1);
    return (style === 'camel' ? first.toLowerCase() : first.toUpperCase()) + name.slice(1);
  };
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [named(name), withKeys(part, style)]));
}
