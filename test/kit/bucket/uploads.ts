import { randomBytes } from 'node:crypto';
import { type Checksum, checksumOf } from './body.ts';
import { type Arrived, Refusal } from './signature.ts';
import {
  type Answer,
  type Asked,
  checkWrite,
  invalid,
  keptOf,
  md5,
  named,
  quoted,
  type Store,
  tagOf,
  type Upload,
} from './store.ts';
import { badXml, childrenOf, document, element, within } from './xml.ts';

const SMALLEST_PART = 5 * 1_048_576;

export function createUpload(store: Store, { request, key }: Asked): Answer {
  const id = randomBytes(24).toString('base64url');
  store.uploads.set(id, { key, started: store.now(), headers: keptOf(request), parts: new Map() });
  return document(
    'InitiateMultipartUploadResult',
    element('Bucket', store.bucket),
    element('Key', key),
    element('UploadId', id),
  );
}

export function uploadPart(store: Store, asked: Asked): Answer {
  const text = new Map(asked.request.query).get('partNumber') ?? '';
  const number = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (number < 1 || number > 10_000)
    throw invalid('Part number must be an integer between 1 and 10000, inclusive', 'partNumber', text);
  const { bytes, checksum } = asked;
  const part = { bytes, checksum, etag: tagOf(bytes), modified: store.now(), headers: new Map() };
  uploadOf(store, asked).parts.set(number, part);
  return { status: 200, headers: { etag: part.etag, ...named(checksum) } };
}

export function completeUpload(store: Store, asked: Asked): Answer {
  const { request, key, bytes } = asked;
  const upload = uploadOf(store, asked);
  const listed = childrenOf(within(bytes.toString(), 'CompleteMultipartUpload'), 'Part', ['PartNumber', 'ETag']);
  if (listed.length === 0) throw badXml();
  const numbers = listed.map(([number]) => Number(number));
  if (numbers.some((number, index) => number <= (numbers[index - 1] ?? 0)))
    throw new Refusal(
      400,
      'InvalidPartOrder',
      'The list of parts was not in ascending order. Parts must be ordered by part number.',
    );
  const parts = listed.map(([number = '', tag = ''], index) => {
    const part = upload.parts.get(Number(number));
    if (part === undefined || part.etag.replaceAll('"', '') !== tag.replaceAll('"', ''))
      throw new Refusal(
        400,
        'InvalidPart',
        "One or more of the specified parts could not be found. The part may not have been uploaded, or the specified entity tag may not match the part's entity tag.",
        { PartNumber: number, ETag: tag },
      );
    if (index < listed.length - 1 && part.bytes.length < SMALLEST_PART)
      throw new Refusal(400, 'EntityTooSmall', 'Your proposed upload is smaller than the minimum allowed size', {
        ProposedSize: String(part.bytes.length),
        MinSizeAllowed: String(SMALLEST_PART),
        PartNumber: number,
        ETag: tag,
      });
    return part;
  });
  const whole = Buffer.concat(parts.map((part) => part.bytes));
  const size = request.headers.get('x-amz-mp-object-size');
  if (size !== undefined && size !== String(whole.length))
    throw new Refusal(
      400,
      'InvalidRequest',
      'The provided x-amz-mp-object-size header does not match what was computed.',
    );
  const checksum = checksumOfWhole(request, upload, whole);
  checkWrite(store, request, key);
  const etag = quoted(`${md5(Buffer.concat(parts.map((part) => md5(part.bytes)))).toString('hex')}-${parts.length}`);
  store.objects.set(key, { bytes: whole, etag, modified: store.now(), headers: upload.headers, checksum });
  store.uploads.delete(new Map(request.query).get('uploadId') ?? '');
  return document(
    'CompleteMultipartUploadResult',
    element('Bucket', store.bucket),
    element('Key', key),
    element('ETag', etag),
  );
}

export function abortUpload(store: Store, asked: Asked): Answer {
  uploadOf(store, asked);
  store.uploads.delete(new Map(asked.request.query).get('uploadId') ?? '');
  return { status: 204 };
}

export function listParts(store: Store, asked: Asked): Answer {
  const parts = [...uploadOf(store, asked).parts].toSorted(([one], [other]) => one - other);
  const shown = parts.map(([number, { etag, bytes, modified }]) => {
    const facts = [
      element('LastModified', new Date(modified).toISOString()),
      element('ETag', etag),
      element('Size', bytes.length),
    ];
    return `<Part>${element('PartNumber', number)}${facts.join('')}</Part>`;
  });
  const id = new Map(asked.request.query).get('uploadId') ?? '';
  const head = [element('Bucket', store.bucket), element('Key', asked.key), element('UploadId', id)];
  return document('ListPartsResult', ...head, element('IsTruncated', 'false'), ...shown);
}

export function listUploads(store: Store, { request }: Asked): Answer {
  const prefix = new Map(request.query).get('prefix') ?? '';
  const shown = [...store.uploads]
    .filter(([, { key }]) => key.startsWith(prefix))
    .map(([id, { key, started }]) => {
      const facts = [
        element('Key', key),
        element('UploadId', id),
        element('Initiated', new Date(started).toISOString()),
      ];
      return `<Upload>${facts.join('')}</Upload>`;
    });
  const head = [element('Bucket', store.bucket), element('Prefix', prefix), element('IsTruncated', 'false')];
  return document('ListMultipartUploadsResult', ...head, ...shown);
}

function uploadOf(store: Store, { request, key }: Asked): Upload {
  const id = new Map(request.query).get('uploadId') ?? '';
  const upload = store.uploads.get(id);
  if (upload === undefined || upload.key !== key)
    throw new Refusal(
      404,
      'NoSuchUpload',
      'The specified upload does not exist. The upload ID may be invalid, or the upload may have been aborted or completed.',
      { UploadId: id },
    );
  return upload;
}

/** The checksum of the whole object, where the upload is one of the type FULL_OBJECT and the client names it. */
function checksumOfWhole({ headers }: Arrived, upload: Upload, whole: Buffer): Checksum | undefined {
  const [header, value = ''] = [...headers].find(([name]) => /^x-amz-checksum-(?!type$)/.test(name)) ?? [];
  if (header === undefined) return undefined;
  if (headers.get('x-amz-checksum-type') !== 'FULL_OBJECT')
    throw new Refusal(501, 'NotImplemented', 'This simulator knows checksums of whole objects alone.', {
      Header: header,
    });
  if (checksumOf(header, whole) !== value)
    throw new Refusal(400, 'BadDigest', `The ${header} you specified did not match the calculated checksum.`);
  return { header, value };
}
