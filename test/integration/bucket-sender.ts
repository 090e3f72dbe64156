import { request as requestOf } from 'node:http';
import { AwsV4Signer } from 'aws4fetch';
import type { Bucket } from '../kit/bucket.ts';

/** The store that a request goes to. */
export type Store = Pick<Bucket, 'url' | 'name' | 'region'> & { readonly keys: readonly Bucket['keys'][number][] };

export interface Sent {
  readonly method?: string;
  /** What comes behind the bucket, with its query. */
  readonly at?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** Before `.localhost`, in place of the path. */
  readonly host?: string;
  readonly signing?: {
    readonly secretAccessKey?: string;
    readonly accessKeyId?: string;
    readonly region?: string;
    readonly datetime?: string;
  };
  /** Changes what was signed. */
  readonly tamper?: (signed: { url: URL; headers: Record<string, string> }) => void;
}

export interface Got {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: string;
  /** Of an error. */
  readonly code: string | undefined;
}

/** Signs a request with the published signer, changes it where `tamper` says so, and sends it. */
export async function sendTo(
  bucket: Store,
  { method = 'GET', at = '/', headers = {}, body = '', host, signing, tamper }: Sent,
): Promise<Got> {
  const { port } = new URL(bucket.url);
  const address = host === undefined ? `${bucket.url}/${bucket.name}${at}` : `http://${host}.localhost:${port}${at}`;
  const signed = await new AwsV4Signer({
    url: address,
    method,
    headers: { ...headers },
    service: 's3',
    region: bucket.region,
    ...(bucket.keys[0] ?? { accessKeyId: '', secretAccessKey: '' }),
    ...signing,
  }).sign();
  const parts = { url: signed.url, headers: { ...Object.fromEntries(signed.headers), host: signed.url.host } };
  tamper?.(parts);
  return await sendRawTo(bucket, method, `${parts.url.pathname}${parts.url.search}`, parts.headers, body);
}

/** Sends a request as it is. */
export async function sendRawTo(
  bucket: Store,
  method: string,
  path: string,
  headers: Record<string, string>,
  body: string | Buffer,
): Promise<Got> {
  return await new Promise((resolve, reject) => {
    const { port } = new URL(bucket.url);
    const length = method === 'PUT' || body.length > 0 ? { 'content-length': String(Buffer.byteLength(body)) } : {};
    const request = requestOf({
      host: '127.0.0.1',
      port,
      method,
      path,
      headers: { ...length, ...headers },
      agent: false,
    });
    request.once('error', reject).once('response', (response) => {
      const chunks: Buffer[] = [];
      response
        .on('data', (chunk: Buffer) => chunks.push(chunk))
        .once('error', reject)
        .once('end', () => {
          const text = Buffer.concat(chunks).toString();
          const code = /<Error><Code>(\w+)/.exec(text)?.[1];
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text, code });
        });
    });
    request.end(body);
  });
}
