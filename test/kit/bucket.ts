import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type Content, contentOf } from './bucket/body.ts';
import { type Fault, type Faults, faultsOf } from './bucket/faults.ts';
import { type Operation, operationOf } from './bucket/operations.ts';
import { checkSignature, type Keys, Refusal } from './bucket/signature.ts';
import { type Answer, type Store, type StoredObject, tagOf } from './bucket/store.ts';
import { arrivedOf, bodyOf, placeOf, reset, send } from './bucket/transport.ts';
import { xml } from './bucket/xml.ts';
import type { Certificate } from './certificate.ts';
import { freePort } from './free-port.ts';
import { watchForLeaks } from './leaks.ts';

/** A request as the store saw it. */
export interface BucketRequest {
  readonly operation: Operation | 'unknown';
  /** Empty where the request is about the bucket. */
  readonly key: string;
  readonly headers: ReadonlyMap<string, string>;
  /** Of the answer; 0 before it, and for ever where the connection ended before it. */
  status: number;
  /** The code of the error; undefined for a good answer. */
  code: string | undefined;
}

export interface BucketOptions {
  /** Default `readings`. */
  readonly bucket?: string;
  /** Default `eu-central-1`. */
  readonly region?: string;
  /** Default `path and host`: the bucket is the first part of the path, or of the host before `.localhost`. */
  readonly style?: 'path' | 'host' | 'path and host';
  readonly tls?: Certificate;
  /** At most this many keys a page of a list; default 1,000. */
  readonly pageAtMost?: number;
  /** What `If-None-Match: *` of a write does: stores before 2024 do not know it, or take no notice of it. Default kept. */
  readonly conditionalWrites?: Store['conditionalWrites'];
  /** The clock of the store, ms since 1970; default that of the machine. */
  readonly now?: () => number;
}

/** A simulated object store with the API of S3, strict about it; see `startBucket`. */
export interface Bucket {
  /** `http://127.0.0.1:<port>` or `https://…`, without the bucket. */
  readonly url: string;
  readonly name: string;
  readonly region: string;
  /** Who may do everything; a test may take keys out and put others in. */
  readonly keys: Keys[];
  /** What is stored, by key. A test that changes it acts behind the back of the clients. */
  readonly objects: Map<string, StoredObject>;
  /** Uploads in parts that were neither completed nor aborted, by id. */
  readonly uploads: ReadonlyMap<string, { readonly key: string }>;
  /** Changes the bytes of an object behind the back of the clients. It keeps its ETag and date where `silently`, as on a disk that rots. */
  change(key: string, change: (bytes: Buffer) => Buffer, silently?: 'silently'): void;
  /** The next `times` requests (default 1; Infinity: until `heal()`) that the fault fits meet it; a request meets the first that fits it. */
  fault(fault: Fault): void;
  heal(): void;
  /** Lists show the present state until the returned function is called. */
  freezeLists(): () => void;
  readonly requests: readonly BucketRequest[];
  /** What clients did that no right client does: the code, the operation and the message of each such answer. */
  readonly violations: readonly string[];
  /** The most bytes of bodies that were under way at one time: of requests that came in, and of answers that were not sent whole. */
  mostBytes(): number;
  /** Takes no connections and cuts those that there are, until `up()`. */
  down(): Promise<void>;
  up(): Promise<void>;
  close(): Promise<void>;
}

/** Answers that a right client meets, too. */
const FAIR = ['NoSuchKey', 'NoSuchUpload', 'PreconditionFailed', 'InvalidRange'];

/**
 * Starts an object store on loopback that holds one bucket. It checks the signature of each request, and everything that the client said
 * about a body, against the published specification, and answers errors as S3 does. What it does not know it refuses with
 * NotImplemented; that and all that is ill-formed are `violations`. An upload is stored when it has come in whole.
 */
export async function startBucket(options: BucketOptions = {}): Promise<Bucket> {
  const { bucket = 'readings', region = 'eu-central-1', style = 'path and host', now = Date.now } = options;
  const keys: Keys[] = [{ accessKeyId: 'AKIDEXAMPLE', secretAccessKey: randomBytes(24).toString('base64') }];
  const objects = new Map<string, StoredObject>();
  let frozen: ReadonlyMap<string, StoredObject> | undefined;
  const store: Store = {
    bucket,
    region,
    objects,
    uploads: new Map(),
    now,
    listed: () => frozen ?? objects,
    pageAtMost: options.pageAtMost ?? 1_000,
    conditionalWrites: options.conditionalWrites ?? 'kept',
  };
  const faults: Faults = faultsOf();
  const requests: BucketRequest[] = [];
  const violations: string[] = [];
  let bytes = 0;
  let mostBytes = 0;
  const underWay = (more: number): void => {
    bytes += more;
    mostBytes = Math.max(mostBytes, bytes);
  };

  async function serve(request: IncomingMessage, response: ServerResponse, onExpect: boolean): Promise<void> {
    const { arrived, place } = arrivedOf(request);
    const { name, key } = placeOf(place, arrived.headers.get('host') ?? '', style);
    const operation = operationOf(arrived, key);
    const record: BucketRequest = {
      operation: operation?.name ?? 'unknown',
      key,
      headers: arrived.headers,
      status: 0,
      code: undefined,
    };
    requests.push(record);
    let held = 0;
    const hold = (size: number): void => {
      held += size;
      underWay(size);
    };
    const letGo = (): void => hold(-held);
    response.once('close', letGo);
    const fault = faults.next(record.operation, key);
    await fault?.waitFor;
    if (onExpect && fault?.answer === undefined) response.writeContinue();
    const raw =
      onExpect && fault?.answer !== undefined ? Buffer.alloc(0) : await bodyOf(request, hold, fault?.resetUploadAfter);
    let answer: Answer;
    try {
      if (fault?.answer !== undefined) {
        const { status, code, retryAfter } = fault.answer;
        const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
        record.code = code;
        answer = { status, headers, body: errorOf(new Refusal(status, code, 'Please try again.')) };
      } else {
        const seed = checkSignature(arrived, { keys, region, now: now() });
        if (name !== bucket)
          throw new Refusal(404, 'NoSuchBucket', 'The specified bucket does not exist', { BucketName: name });
        if (operation === undefined)
          throw new Refusal(501, 'NotImplemented', `This simulator does not know ${arrived.method} with such a query.`);
        operation.checkHeaders(arrived);
        const content: Content = contentOf(raw, arrived, seed);
        answer = operation.run(store, { request: arrived, key, ...content });
        if (fault?.errorInside !== undefined) {
          record.code = fault.errorInside;
          answer = {
            ...answer,
            body: errorOf(new Refusal(200, fault.errorInside, 'We encountered an internal error. Please try again.')),
          };
        }
      }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      record.code = error.code;
      const asConfigured =
        error.elements['Header'] === 'If-None-Match' && store.conditionalWrites === 'not implemented';
      if (!FAIR.includes(error.code) && !asConfigured)
        violations.push(`${error.code} ${record.operation} ${key}: ${error.message} ${JSON.stringify(error.elements)}`);
      answer = { status: error.status, headers: { 'content-type': 'application/xml' }, body: errorOf(error) };
    }
    if (fault?.answerLost === true) {
      reset(request);
      return;
    }
    record.status = answer.status;
    letGo();
    await send(request, response, { answer, hold, fault });
  }

  const errorOf = ({ code, message, elements }: Refusal): string => {
    const all = {
      Code: code,
      Message: message,
      ...elements,
      RequestId: randomBytes(8).toString('hex').toUpperCase(),
      HostId: 'simulator',
    };
    const content = Object.entries(all).map(([name, text]) => `<${name}>${xml(text)}</${name}>`);
    return `<?xml version="1.0" encoding="UTF-8"?>\n<Error>${content.join('')}</Error>`;
  };
  const failed = (request: IncomingMessage, error: unknown): void => {
    if (error instanceof Refusal) violations.push(`${error.code}: ${error.message}`);
    else if (!request.destroyed) violations.push(`a fault of the simulator: ${String(error)}`);
    request.destroy();
  };
  const handler =
    (onExpect: boolean) =>
    (request: IncomingMessage, response: ServerResponse): void =>
      void serve(request, response, onExpect).catch((error: unknown) => failed(request, error));
  const { tls } = options;
  const server = tls
    ? createTlsServer({ cert: readFileSync(tls.certificatePath), key: readFileSync(tls.keyPath) })
    : createServer();
  server.on('request', handler(false)).on('checkContinue', handler(true));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code?.startsWith('HPE_') === true) violations.push(`no HTTP: ${error.message}`);
    socket.destroy();
  });
  const port = await freePort();
  const up = async (): Promise<void> =>
    await new Promise((resolve, reject) => void server.once('error', reject).listen(port, '127.0.0.1', resolve));
  const down = async (): Promise<void> => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  await up();
  const forget = watchForLeaks(
    `a bucket on port ${port}`,
    () => server.listening,
    () => void down(),
  );
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    name: bucket,
    region,
    keys,
    objects,
    uploads: store.uploads,
    requests,
    violations,
    up,
    down,
    change(key, change, silently) {
      const before = objects.get(key);
      if (before === undefined) throw new Error(`the bucket has no ${key}`);
      const changed = change(Buffer.from(before.bytes));
      objects.set(
        key,
        silently
          ? { ...before, bytes: changed }
          : { ...before, bytes: changed, etag: tagOf(changed), modified: now(), checksum: undefined },
      );
    },
    fault: faults.add,
    heal: faults.heal,
    freezeLists() {
      frozen = new Map(objects);
      return () => (frozen = undefined);
    },
    mostBytes: () => mostBytes,
    async close() {
      forget();
      if (server.listening) await down();
    },
  };
}
