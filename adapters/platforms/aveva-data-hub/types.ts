import { z } from 'zod';
import { BridgeError, unsupported } from '../../../src/core/errors.ts';
import { answer } from '../../../src/platform/answer.ts';
import type { Http } from '../../../src/platform/contract.ts';
import { expectNamespace, streamFields, streamPath, VERBOSE } from './namespace.ts';
import type { HubOptions } from './options.ts';

/** The part of an SdsType that reading needs. */
export interface StreamType {
  /** The property that is the index, a time; undefined where the index is something else, or has several parts. */
  readonly key: string | undefined;
  /** Fed by PI: one value with flags and states. */
  readonly isPi: boolean;
  /** Its other properties, with the value that the short form leaves out; undefined where that would be null. */
  readonly properties: ReadonlyMap<string, 0 | false | undefined>;
}

export const typeFields = z.object({
  Properties: z.array(
    z.object({
      Id: z.string().min(1),
      IsKey: z.boolean().default(false),
      SdsType: z.object({ SdsTypeCode: z.int() }),
    }),
  ),
});

export const resolvedStream = streamFields.extend({ Type: typeFields });

// The codes of System.TypeCode, and DateTimeOffset.
const BOOLEAN = 3;
const [FIRST_NUMBER, LAST_NUMBER] = [5, 15];
const TIMES = [16, 20];

const PI_PROPERTIES = ['Value', 'IsQuestionable', 'IsSubstituted', 'SystemStateCode', 'DigitalStateName'];

export function streamTypeOf({ Properties }: z.output<typeof typeFields>): StreamType {
  const keys = Properties.filter(({ IsKey }) => IsKey);
  const [key] = keys;
  const isTime = keys.length === 1 && key !== undefined && TIMES.includes(key.SdsType.SdsTypeCode);
  const properties = new Map(
    Properties.filter(({ IsKey }) => !IsKey).map(({ Id, SdsType }) => [Id, defaultOf(SdsType.SdsTypeCode)]),
  );
  return {
    key: isTime ? key.Id : undefined,
    isPi: PI_PROPERTIES.every((name) => properties.has(name)),
    properties,
  };
}

function defaultOf(code: number): 0 | false | undefined {
  if (code === BOOLEAN) return false;
  return code >= FIRST_NUMBER && code <= LAST_NUMBER ? 0 : undefined;
}

/** The variables of a stream. */
export const streamVariables = ({ isPi, properties }: StreamType): string[] =>
  isPi ? ['Value'] : [...properties.keys()];

/** By the options of an open source, so that it ends with it: the types of its streams, as this process has seen them. */
const known = new WeakMap<HubOptions, Map<string, StreamType>>();

export function rememberType(options: HubOptions, stream: string, type: StreamType): void {
  const types = known.get(options) ?? new Map<string, StreamType>();
  known.set(options, types.set(stream, type));
}

export const knownType = (options: HubOptions, stream: string): StreamType | undefined =>
  known.get(options)?.get(stream);

/** A stream with its type, by one request; the error where it is not there or may not be read. */
export async function resolvedStreamOf(
  http: Http,
  options: HubOptions,
  id: string,
): Promise<{ readonly name: string | undefined; readonly type: StreamType } | { readonly refused: BridgeError }> {
  const { status, data } = await http.get<unknown>(`${streamPath(options, id)}/Resolved`, {
    headers: VERBOSE,
    expect: [403, 404],
  });
  if (status === 403 || status === 404) return { refused: await streamRefused(http, options, id, status) };
  const { Name, Type } = answer(resolvedStream, data, `stream ${id}`);
  const type = streamTypeOf(Type);
  rememberType(options, id, type);
  return { name: Name ?? undefined, type };
}

/** The type of a stream as the hub has it now. Throws where the stream cannot be read. */
export async function currentType(http: Http, options: HubOptions, id: string): Promise<StreamType> {
  const found = await resolvedStreamOf(http, options, id);
  if ('refused' in found) throw found.refused;
  return found.type;
}

/** The error of one stream. Throws where the namespace as a whole cannot be read. */
export async function streamRefused(
  http: Http,
  options: HubOptions,
  id: string,
  status: 403 | 404,
): Promise<BridgeError> {
  await expectNamespace(http, options);
  return status === 404
    ? new BridgeError({ code: 'contract-broken' }, `AVEVA Data Hub knows no stream ${id}`, {
        remedy: 'it was deleted: take it out of the source',
      })
    : new BridgeError({ code: 'contract-broken' }, `stream ${id} may not be read`, {
        remedy: 'let the owner of the stream give the client of this source the right to read it',
      });
}

export const noTime = (id: string): BridgeError =>
  unsupported(`the index of stream ${id} is not one time`, 'take it out of the source');
