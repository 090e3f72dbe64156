import type { DeviceSpec, KeySpec, TruthSpec } from '../../../../src/simulator/truth.ts';

/** A stream: all keys of a device as properties of one event, or one key as PI sends it, with flags and states. */
export interface SdsStream {
  readonly id: string;
  readonly device: DeviceSpec;
  readonly keys: readonly KeySpec[];
  readonly isPi: boolean;
}

/** Throws on a truth that the product cannot hold. */
export function streamsOfTruth(truth: TruthSpec): SdsStream[] {
  return truth.devices.flatMap((device) => {
    const double = device.keys.find(({ together }) => together);
    if (double) throw new Error(`the index of a stream is unique: ${device.id} ${double.name}`);
    return streamsOf(device);
  });
}

/**
 * Numbers of one rhythm are properties of one event, as the axes of a vibration are, where each event has them all.
 * Every other device has a stream for each key, as PI feeds it.
 */
export function streamsOf(device: DeviceSpec): SdsStream[] {
  const rhythms = new Set(device.keys.map(({ everyMs, edges, burst }) => JSON.stringify({ everyMs, edges, burst })));
  const isPlain = (key: KeySpec) => key.kind === 'number' && !(key.listed ?? key.states ?? key.qualities ?? key.late);
  if (device.keys.length > 1 && rhythms.size === 1 && device.keys.every(isPlain)) {
    return [{ id: device.id, device, keys: device.keys, isPi: false }];
  }
  return device.keys.map((key) => ({ id: `PI_PISRV01_${device.name} ${key.name}`, device, keys: [key], isPi: true }));
}

export const describeStream = ({ id, device, keys, isPi }: SdsStream) => ({
  TypeId: typeIdOf({ id, device, keys, isPi }),
  Id: id,
  Name: isPi ? `${device.name}.${keys[0]?.name}` : device.name,
  Description: '',
  Indexes: [],
  PropertyOverrides: [],
});

const typeIdOf = ({ device, keys, isPi }: SdsStream): string =>
  isPi ? `PI-${codes[kindOf(keys[0])].name}` : `${device.name} axes`;

// SdsTypeCode: 14 is a double, 114 one that may be null, 109 such a 32-bit number, 18 a text, 3 a boolean.
const codes = {
  number: { name: 'Float64', code: 114 },
  digital: { name: 'Digital', code: 109 },
  text: { name: 'String', code: 18 },
} as const;

export function kindOf(key: KeySpec | undefined): keyof typeof codes {
  if (key?.states !== undefined || key?.kind === 'boolean') return 'digital';
  return key?.kind === 'number' ? 'number' : 'text';
}

/** The type of a stream with its properties; one is the key, in the form of the option. */
export function typeOfStream(stream: SdsStream, { keyType }: { readonly keyType: 'DateTime' | 'DateTimeOffset' }) {
  const property = (Id: string, code: number, IsKey = false) => ({
    Id,
    Name: Id,
    IsKey,
    Order: 0,
    SdsType: { SdsTypeCode: code },
  });
  const key = property(stream.isPi ? 'Timestamp' : 'Time', keyType === 'DateTime' ? 16 : 20, true);
  const flags = ['IsQuestionable', 'IsSubstituted', 'IsAnnotated'].map((name) => property(name, 3));
  const rest = stream.isPi
    ? [
        property('Value', codes[kindOf(stream.keys[0])].code),
        ...flags,
        property('SystemStateCode', 109),
        property('DigitalStateName', 18),
      ]
    : stream.keys.map(({ name }) => property(name, 14));
  return { Id: typeIdOf(stream), Name: typeIdOf(stream), SdsTypeCode: 1, Properties: [key, ...rest] };
}
