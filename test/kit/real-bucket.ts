import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startBucket } from './bucket.ts';
import type { Keys } from './bucket/signature.ts';
import { freePort } from './free-port.ts';
import { type RunningProcess, startProcess } from './process.ts';
import { makeTempDirectory } from './temp-directory.ts';

const run = promisify(execFile);

/** A store with the API of S3 that others wrote: OpenStack Swift on loopback, with one bucket. */
export interface RealBucket {
  /** `http://127.0.0.1:<port>`, without the bucket, which is the first part of the path. */
  readonly url: string;
  readonly name: string;
  readonly region: string;
  readonly keys: readonly Keys[];
  /** Ends the servers and removes what they stored. */
  close(): Promise<void>;
}

/**
 * The store of this run: Swift where `DATABRIDGE_TEST_BUCKET` is `real`, else a simulated one that has the same API, which is that of S3
 * without conditional writes.
 */
export const startBucketOfRun = async (): Promise<RealBucket> =>
  process.env['DATABRIDGE_TEST_BUCKET'] === 'real'
    ? await startRealBucket()
    : await startBucket({ conditionalWrites: 'not implemented' });

const RINGS = ['account', 'container', 'object'] as const;

/**
 * Starts the servers of Swift with one disk, and the API of S3 before them. They come from the packages `swift-proxy`, `swift-account`,
 * `swift-container`, `swift-object` and `memcached` of Debian; the directory for temporary files has to keep extended attributes.
 */
async function startRealBucket({ name = 'readings', region = 'eu-central-1' } = {}): Promise<RealBucket> {
  await using stack = new AsyncDisposableStack();
  const directory = await makeTempDirectory('swift');
  stack.defer(async () => await directory.remove());
  await mkdir(join(directory.path, 'devices', 'd1'), { recursive: true });
  const start = async (
    command: string,
    args: (port: number) => readonly string[] | Promise<readonly string[]>,
    answers: (port: number) => Promise<boolean>,
  ): Promise<number> => {
    const port = await freePort();
    const server: RunningProcess = await startProcess({
      name: command,
      command,
      args: [...(await args(port))],
      ready: async () => await answers(port),
    });
    stack.defer(async () => void (await server.stop()));
    return port;
  };
  const healthy = async (port: number): Promise<boolean> =>
    await fetch(`http://127.0.0.1:${port}/healthcheck`).then(
      ({ ok }) => ok,
      () => false,
    );
  const configured = async (server: string, port: number, lines: readonly string[]): Promise<string> => {
    const file = join(directory.path, `${server}.conf`);
    const common = [
      '[DEFAULT]',
      'bind_ip = 127.0.0.1',
      `bind_port = ${port}`,
      'workers = 0',
      `swift_dir = ${directory.path}`,
    ];
    await writeFile(file, [...common, ...lines].join('\n'));
    return file;
  };

  const memory = await start(
    'memcached',
    (own) => ['-l', '127.0.0.1', '-p', String(own), '-U', '0', '-u', process.env['USER'] ?? 'root'],
    listens,
  );
  for (const ring of RINGS) {
    const port = await start(
      `swift-${ring}-server`,
      async (own) => [
        await configured(`${ring}-server`, own, [
          `devices = ${join(directory.path, 'devices')}`,
          'mount_check = false',
          `user = ${process.env['USER'] ?? 'root'}`,
          '[pipeline:main]',
          `pipeline = healthcheck ${ring}-server`,
          `[app:${ring}-server]`,
          `use = egg:swift#${ring}`,
          '[filter:healthcheck]',
          'use = egg:swift#healthcheck',
        ]),
        '-v',
      ],
      healthy,
    );
    const builder = join(directory.path, `${ring}.builder`);
    await run('swift-ring-builder', [builder, 'create', '4', '1', '1']);
    await run('swift-ring-builder', [builder, 'add', `r1z1-127.0.0.1:${port}/d1`, '1']);
    await run('swift-ring-builder', [builder, 'rebalance']);
  }
  const secretAccessKey = randomBytes(24).toString('base64url');
  const port = await start(
    'swift-proxy-server',
    async (own) => [await configured('proxy-server', own, proxyLines(region, secretAccessKey, memory)), '-v'],
    healthy,
  );
  const url = `http://127.0.0.1:${port}`;
  const headers = { 'x-auth-user': 'plant:bridge', 'x-auth-key': secretAccessKey };
  const signedIn = await fetch(`${url}/auth/v1.0`, { headers });
  if (!signedIn.ok) throw new Error(`Swift did not sign in: ${signedIn.status} ${await signedIn.text()}`);
  const token = signedIn.headers.get('x-auth-token') ?? '';
  const made = await fetch(`${signedIn.headers.get('x-storage-url')}/${name}`, {
    method: 'PUT',
    headers: { 'x-auth-token': token },
  });
  if (!made.ok) throw new Error(`Swift did not make the bucket: ${made.status} ${await made.text()}`);
  const owned = stack.move();
  return {
    url,
    name,
    region,
    keys: [{ accessKeyId: 'plant:bridge', secretAccessKey }],
    close: async () => await owned.disposeAsync(),
  };
}

const proxyLines = (region: string, secret: string, memory: number): readonly string[] => [
  `user = ${process.env['USER'] ?? 'root'}`,
  '[pipeline:main]',
  'pipeline = catch_errors gatekeeper healthcheck cache listing_formats s3api tempauth slo proxy-server',
  '[app:proxy-server]',
  'use = egg:swift#proxy',
  'account_autocreate = true',
  '[filter:s3api]',
  'use = egg:swift#s3api',
  `location = ${region}`,
  '[filter:tempauth]',
  'use = egg:swift#tempauth',
  `user_plant_bridge = ${secret} .admin`,
  ...['catch_errors', 'gatekeeper', 'healthcheck', 'listing_formats', 'slo'].flatMap((name) => [
    `[filter:${name}]`,
    `use = egg:swift#${name}`,
  ]),
  '[filter:cache]',
  'use = egg:swift#memcache',
  `memcache_servers = 127.0.0.1:${memory}`,
];

const listens = async (port: number): Promise<boolean> =>
  await new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.once('connect', () => socket.end(() => resolve(true))).once('error', () => resolve(false));
  });
