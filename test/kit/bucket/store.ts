import { createHash } from 'node:crypto';
import type { Checksum, Content } from './body.ts';
import { type Arrived, Refusal } from './signature.ts';

/** An object of the store. */
export interface StoredObject {
  readonly bytes: Buffer;
  /** With its quotes. */
  readonly etag: string;
  /** ms since 1970 */
  readonly modified: number;
  /** The headers that are kept with it, such as `content-type` and `x-amz-meta-…`. */
  readonly headers: ReadonlyMap<string, string>;
  readonly checksum: Checksum | undefined;
}

/** An upload in parts that was neither completed nor aborted. */
export interface Upload {
  readonly key: string;
  readonly started: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly parts: Map<number, StoredObject>;
}

/** What operations work on. */
export interface Store {
  readonly bucket: string;
  readonly region: string;
  readonly objects: Map<string, StoredObject>;
  readonly uploads: Map<string, Upload>;
  /** What lists show; not the objects while lists are stale. */
  listed(): ReadonlyMap<string, StoredObject>;
  /** At most this many keys a page, whatever a client asks for. */
  readonly pageAtMost: number;
  /** What `If-None-Match` of a write does. */
  readonly conditionalWrites: 'kept' | 'not implemented' | 'ignored';
  now(): number;
}

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** A request with the key and the content that were found right. */
export interface Asked extends Content {
  readonly request: Arrived;
  readonly key: string;
}

export const quoted = (hash: string): string => `"${hash}"`;
export const md5 = (bytes: Uint8Array): Buffer => createHash('md5').update(bytes).digest();
export const tagOf = (bytes: Uint8Array): string => quoted(md5(bytes).toString('hex'));

export const invalid = (message: string, name: string, value: string): Refusal =>
  new Refusal(400, 'InvalidArgument', message, { ArgumentName: name, ArgumentValue: value });

export const unmet = (condition: string): Refusal =>
  new Refusal(412, 'PreconditionFailed', 'At least one of the pre-conditions you specified did not hold', {
    Condition: condition,
  });

/** Holds the conditions of a write, at the moment when the object would be there. */
export function checkWrite({ objects, conditionalWrites }: Store, { headers }: Arrived, key: string): void {
  const condition = headers.get('if-none-match');
  if (condition === undefined || conditionalWrites === 'ignored') return;
  if (condition !== '*' || conditionalWrites === 'not implemented')
    throw new Refusal(501, 'NotImplemented', 'A header you provided implies functionality that is not implemented', {
      Header: 'If-None-Match',
    });
  if (objects.has(key)) throw unmet('If-None-Match');
}

/** The headers of a write that a read of the object brings again. */
export const keptOf = ({ headers }: Arrived): ReadonlyMap<string, string> => {
  const kept = [...headers].filter(([name]) =>
    /^(content-(type|disposition|language)|cache-control|x-amz-meta-.*)$/.test(name),
  );
  return new Map([['content-type', 'binary/octet-stream'], ...kept]);
};

/** The checksum as a header of an answer. */
export const named = (checksum: Checksum | undefined): Record<string, string> =>
  checksum === undefined ? {} : { [checksum.header]: checksum.value };
