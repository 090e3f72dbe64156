import { deleteObject, deleteObjects, getObject, listObjects, putObject } from './objects.ts';
import { type Arrived, Refusal } from './signature.ts';
import type { Answer, Asked, Store } from './store.ts';
import { abortUpload, completeUpload, createUpload, listParts, listUploads, uploadPart } from './uploads.ts';

interface Known {
  readonly method: string;
  /** Whether it is about an object, and not about the bucket. */
  readonly object: boolean;
  /** Names of the query that make a request this operation. */
  readonly with: readonly string[];
  /** Other names that the query may have. */
  readonly may?: readonly string[];
  /** Headers that it may have besides those of all requests. */
  readonly headers?: RegExp;
  readonly run: (store: Store, asked: Asked) => Answer;
}

const BODY =
  'content-(encoding|md5)|x-amz-(decoded-content-length|trailer|sdk-checksum-algorithm|checksum-(crc32|crc32c|crc64nvme|sha1|sha256))';
const KEPT =
  'content-(disposition|language)|cache-control|x-amz-meta-[a-z0-9-]+|x-amz-storage-class|x-amz-server-side-encryption';
const READ = /^(range|if-match|if-none-match|x-amz-checksum-mode)$/;
const LISTS = ['prefix', 'delimiter', 'max-keys', 'continuation-token', 'start-after', 'encoding-type', 'fetch-owner'];

const OPERATIONS = {
  HeadBucket: {
    method: 'HEAD',
    object: false,
    with: [],
    run: ({ region }) => ({ status: 200, headers: { 'x-amz-bucket-region': region } }),
  },
  ListObjectsV2: { method: 'GET', object: false, with: ['list-type'], may: LISTS, run: listObjects },
  ListMultipartUploads: {
    method: 'GET',
    object: false,
    with: ['uploads'],
    may: ['prefix', 'max-uploads', 'encoding-type'],
    run: listUploads,
  },
  DeleteObjects: {
    method: 'POST',
    object: false,
    with: ['delete'],
    headers: new RegExp(`^(${BODY})$`),
    run: deleteObjects,
  },
  PutObject: {
    method: 'PUT',
    object: true,
    with: [],
    headers: new RegExp(`^(${BODY}|${KEPT}|if-none-match)$`),
    run: putObject,
  },
  GetObject: { method: 'GET', object: true, with: [], headers: READ, run: getObject },
  HeadObject: { method: 'HEAD', object: true, with: [], headers: READ, run: getObject },
  DeleteObject: { method: 'DELETE', object: true, with: [], run: deleteObject },
  CreateMultipartUpload: {
    method: 'POST',
    object: true,
    with: ['uploads'],
    headers: new RegExp(`^(${KEPT}|x-amz-checksum-(algorithm|type))$`),
    run: createUpload,
  },
  UploadPart: {
    method: 'PUT',
    object: true,
    with: ['partNumber', 'uploadId'],
    headers: new RegExp(`^(${BODY})$`),
    run: uploadPart,
  },
  CompleteMultipartUpload: {
    method: 'POST',
    object: true,
    with: ['uploadId'],
    headers: /^(if-none-match|x-amz-mp-object-size|x-amz-checksum-.*)$/,
    run: completeUpload,
  },
  AbortMultipartUpload: { method: 'DELETE', object: true, with: ['uploadId'], run: abortUpload },
  ListParts: { method: 'GET', object: true, with: ['uploadId'], may: ['max-parts'], run: listParts },
} as const satisfies Record<string, Known>;

/** The operations that the simulator has, by their names in the API. */
export type Operation = keyof typeof OPERATIONS;

/** Of every request; a program says with the last ones who it is and what it tried before. */
const ALWAYS =
  /^(host|authorization|date|connection|keep-alive|te|accept|accept-encoding|accept-language|content-length|content-type|transfer-encoding|expect|user-agent|sec-fetch-mode|x-amz-date|x-amz-content-sha256|x-amz-security-token|x-amz-user-agent|amz-sdk-request|amz-sdk-invocation-id)$/;

/** The operation that a request asks for; undefined where the simulator has none with its method and query. */
export function operationOf(
  { method, query }: Arrived,
  key: string,
):
  | { readonly name: Operation; checkHeaders(request: Arrived): void; run(store: Store, asked: Asked): Answer }
  | undefined {
  const names = query.map(([name]) => name).filter((name) => name !== 'x-id');
  if (new Set(names).size !== names.length) return undefined;
  const found = (Object.entries(OPERATIONS) as [Operation, Known][]).find(
    ([, known]) =>
      known.method === method &&
      known.object === (key !== '') &&
      known.with.every((name) => names.includes(name)) &&
      names.every((name) => known.with.includes(name) || known.may?.includes(name)),
  );
  if (found === undefined) return undefined;
  const [name, known] = found;
  // Clients of Amazon name the operation in the query, too.
  if (query.some(([each, value]) => each === 'x-id' && value !== name)) return undefined;
  return { name, checkHeaders: (request) => checkHeaders(request, known), run: known.run };
}

function checkHeaders({ method, headers }: Arrived, known: Known): void {
  const unknown = [...headers.keys()].find((name) => !ALWAYS.test(name) && !(known.headers?.test(name) ?? false));
  if (unknown !== undefined)
    throw new Refusal(501, 'NotImplemented', 'A header you provided implies functionality that is not implemented', {
      Header: unknown,
    });
  const length = headers.get('content-length');
  const streamed = headers.has('x-amz-decoded-content-length');
  if (method === 'PUT' && length === undefined && !streamed)
    throw new Refusal(411, 'MissingContentLength', 'You must provide the Content-Length HTTP header.');
  if (['GET', 'HEAD', 'DELETE'].includes(method) && ((length ?? '0') !== '0' || headers.has('transfer-encoding')))
    throw new Refusal(400, 'InvalidRequest', 'This request has no body.');
  const encryption = headers.get('x-amz-server-side-encryption') ?? 'AES256';
  const storageClass = headers.get('x-amz-storage-class') ?? 'STANDARD';
  if (encryption !== 'AES256' && encryption !== 'aws:kms')
    throw new Refusal(400, 'InvalidArgument', 'The encryption method specified is not supported');
  if (!['STANDARD', 'REDUCED_REDUNDANCY', 'STANDARD_IA'].includes(storageClass))
    throw new Refusal(400, 'InvalidStorageClass', 'The storage class you specified is not valid');
}
