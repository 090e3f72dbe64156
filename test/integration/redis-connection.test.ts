import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { askRedis } from '../../src/queue/redis-facts.ts';
import { makeCertificate } from '../kit/certificate.ts';
import type { Certificate } from '../kit/certificate.ts';
import { startRedis } from '../kit/redis.ts';
import type { Redis } from '../kit/redis.ts';
import { makeTempDirectory } from '../kit/temp-directory.ts';
import type { TempDirectory } from '../kit/temp-directory.ts';

let directory: TempDirectory;
let certificate: Certificate;
let redis: Redis;
let address: string;

beforeAll(async () => {
  directory = await makeTempDirectory('redis-over-tls');
  certificate = await makeCertificate(directory.path);
  redis = await startRedis({ secure: { ...certificate, password: 'p/w@rd' } });
  const password = join(directory.path, 'password');
  await writeFile(password, 'p/w@rd\n');
  address = `rediss://:\${file:${password}}@127.0.0.1:${redis.port}`;
});

afterAll(async () => {
  await redis.stop();
  await directory.remove();
});

test('a Redis is asked over TLS with a CA and a password that stand in files', async () => {
  await expect(askRedis(`${address}?sslrootcert=${certificate.certificatePath}`)).resolves.toMatchObject({
    evicts: false,
  });
});

test('without its CA it is not trusted', async () => {
  await expect(askRedis(address)).rejects.toThrow(/self.signed certificate/);
});

test('a file that is not there is told', async () => {
  await expect(askRedis('redis://:${file:/nowhere/password}@127.0.0.1:1')).rejects.toThrow(/\/nowhere\/password/);
});
