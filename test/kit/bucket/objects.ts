import { encode, Refusal } from './signature.ts';
import { type Answer, type Asked, checkWrite, invalid, keptOf, named, type Store, tagOf, unmet } from './store.ts';
import { badXml, childrenOf, document, element, within } from './xml.ts';

export function putObject(store: Store, { request, key, bytes, checksum }: Asked): Answer {
  checkWrite(store, request, key);
  const etag = tagOf(bytes);
  store.objects.set(key, { bytes, etag, modified: store.now(), headers: keptOf(request), checksum });
  return { status: 200, headers: { etag, ...named(checksum) } };
}

/** Also of HeadObject, which answers without the body. */
export function getObject(store: Store, { request: { headers }, key }: Asked): Answer {
  const object = store.objects.get(key);
  if (object === undefined) throw new Refusal(404, 'NoSuchKey', 'The specified key does not exist.', { Key: key });
  const wanted = headers.get('if-match');
  if (wanted !== undefined && wanted !== '*' && wanted !== object.etag) throw unmet('If-Match');
  if (headers.get('if-none-match') === object.etag) return { status: 304, headers: { etag: object.etag } };
  const all = {
    ...Object.fromEntries(object.headers),
    etag: object.etag,
    'last-modified': new Date(object.modified).toUTCString(),
    'accept-ranges': 'bytes',
  };
  const range = headers.get('range');
  if (range === undefined) {
    const shown = headers.get('x-amz-checksum-mode')?.toUpperCase() === 'ENABLED' ? named(object.checksum) : {};
    return { status: 200, headers: { ...all, ...shown }, body: object.bytes };
  }
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(range) ?? [];
  if (first === '' && last === '')
    throw new Refusal(501, 'NotImplemented', `This simulator does not know ${range}.`, { Header: 'Range' });
  const size = object.bytes.length;
  const from = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const to = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (from > to)
    throw new Refusal(416, 'InvalidRange', 'The requested range is not satisfiable', {
      RangeRequested: range,
      ActualObjectSize: String(size),
    });
  return {
    status: 206,
    headers: { ...all, 'content-range': `bytes ${from}-${to}/${size}` },
    body: object.bytes.subarray(from, to + 1),
  };
}

export function deleteObject(store: Store, { key }: Asked): Answer {
  store.objects.delete(key);
  return { status: 204 };
}

export function deleteObjects(store: Store, { request, bytes, checksum }: Asked): Answer {
  if (checksum === undefined && !request.headers.has('content-md5'))
    throw new Refusal(400, 'InvalidRequest', 'Missing required header for this request: Content-MD5');
  const content = within(bytes.toString(), 'Delete');
  const quiet = /<Quiet>true<\/Quiet>/.test(content);
  const keys = childrenOf(content.replace(/<Quiet>(true|false)<\/Quiet>/, ''), 'Object', ['Key']).map(
    ([key]) => key ?? '',
  );
  if (keys.length > 1_000 || keys.includes('')) throw badXml();
  for (const key of keys) store.objects.delete(key);
  return document('DeleteResult', ...(quiet ? [] : keys.map((key) => `<Deleted>${element('Key', key)}</Deleted>`)));
}

export function listObjects(store: Store, { request }: Asked): Answer {
  const query = new Map(request.query);
  const text = (name: string): string => query.get(name) ?? '';
  if (text('list-type') !== '2')
    throw invalid('Invalid List Type specified in Request', 'list-type', text('list-type'));
  if (query.has('encoding-type') && text('encoding-type') !== 'url')
    throw invalid('Invalid Encoding Method specified in Request', 'encoding-type', text('encoding-type'));
  const most = query.get('max-keys') ?? '1000';
  if (!/^\d{1,9}$/.test(most))
    throw invalid('Provided max-keys not an integer or within integer range', 'max-keys', most);
  const [prefix, delimiter, token] = [text('prefix'), text('delimiter'), query.get('continuation-token')];
  const after = token === undefined ? text('start-after') : keyBehind(token);
  const encoded = query.has('encoding-type') ? (key: string): string => encode(key).replaceAll('%2F', '/') : String;
  const sorted = [...store.listed()]
    .filter(([key]) => key.startsWith(prefix))
    .toSorted(([one], [other]) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
  const entries: { readonly last: string; readonly shown: string }[] = [];
  const groups = new Map<string, number>();
  for (const [key, { bytes, etag, modified }] of sorted) {
    const cut = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length);
    const group = key.slice(0, cut + delimiter.length);
    const known = cut === -1 ? undefined : groups.get(group);
    if (cut === -1) {
      const facts = [
        element('LastModified', new Date(modified).toISOString()),
        element('ETag', etag),
        element('Size', bytes.length),
      ];
      const shown = `<Contents>${element('Key', encoded(key))}${facts.join('')}<StorageClass>STANDARD</StorageClass></Contents>`;
      entries.push({ last: key, shown });
    } else if (known === undefined) {
      groups.set(group, entries.length);
      entries.push({ last: key, shown: `<CommonPrefixes>${element('Prefix', encoded(group))}</CommonPrefixes>` });
    } else entries[known] = { last: key, shown: entries[known]?.shown ?? '' };
  }
  const waiting = entries.filter(({ last }) => Buffer.compare(Buffer.from(last), Buffer.from(after)) > 0);
  const page = waiting.slice(0, Math.min(Number(most), 1_000, store.pageAtMost));
  const truncated = page.length > 0 && page.length < waiting.length;
  return document(
    'ListBucketResult',
    element('Name', store.bucket),
    element('Prefix', encoded(prefix)),
    element('MaxKeys', Math.min(Number(most), 1_000)),
    ...['delimiter', 'start-after', 'continuation-token', 'encoding-type']
      .filter((name) => query.has(name))
      .map((name) =>
        element(
          name.replaceAll(/(?:^|-)(.)/g, (_, letter: string) => letter.toUpperCase()),
          text(name),
        ),
      ),
    element('KeyCount', page.length),
    element('IsTruncated', String(truncated)),
    ...(truncated ? [element('NextContinuationToken', tokenOf(page.at(-1)?.last ?? ''))] : []),
    ...page.map(({ shown }) => shown),
  );
}

const tokenOf = (key: string): string => `1${Buffer.from(key).toString('base64')}`;
function keyBehind(token: string): string {
  const key = Buffer.from(token.slice(1), 'base64').toString();
  if (tokenOf(key) !== token)
    throw invalid('The continuation token provided is incorrect', 'continuation-token', token);
  return key;
}
