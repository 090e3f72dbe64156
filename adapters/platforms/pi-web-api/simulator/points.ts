import type { DeviceSpec, KeySpec, TruthSpec } from '../../../../src/simulator/truth.ts';

/** A point (tag) of the data archive: a key of a device. */
export interface PiPoint {
  readonly device: DeviceSpec;
  readonly key: KeySpec;
  readonly name: string;
  readonly webId: string;
}

const server = 'PISRV01';

const webIdOf = (kind: string, path: string): string => `F1${kind}${Buffer.from(path).toString('base64url')}`;

export const serverOf = () => {
  const path = `\\\\PIServers[${server}]`;
  return { WebId: webIdOf('DS', server), Name: server, Path: path, IsConnected: true, Links: {} };
};

/** What an operator calls the point. */
export const tagOf = (device: DeviceSpec, key: KeySpec): string => `${device.name}.${key.name}`;

export function pointsOfTruth(truth: TruthSpec): PiPoint[] {
  return truth.devices.flatMap((device) =>
    device.keys.map((key) => {
      const name = tagOf(device, key);
      return { device, key, name, webId: webIdOf('DP', `${server}/${name}`) };
    }),
  );
}

const types = { number: 'Float64', boolean: 'Digital', text: 'String', json: 'Blob' } as const;

export function describePoint({ key, name, webId }: PiPoint) {
  const PointType = key.states === undefined ? types[key.kind] : 'Digital';
  return {
    WebId: webId,
    Name: name,
    Path: `\\\\${server}\\${name}`,
    Descriptor: '',
    PointClass: 'classic',
    PointType,
    DigitalSetName: PointType === 'Digital' ? `${name} states` : '',
    EngineeringUnits: '',
    Zero: 0,
    Span: 100,
    Step: PointType !== 'Float64',
    Future: false,
    Links: {},
  };
}
