import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect } from 'node:tls';
import fastify from 'fastify';
import { pino } from 'pino';
import { afterAll, expect, it } from 'vitest';
import { certificateOf } from '../../src/api/certificate.ts';
import { followCertificate, listen } from '../../src/api/listen.ts';
import { readSettings } from '../../src/settings.ts';
import { makeCertificate } from '../kit/certificate.ts';
import { assertNothingLeaked } from '../kit/leaks.ts';
import { makeTempDirectory } from '../kit/temp-directory.ts';

afterAll(assertNothingLeaked);

/** The fingerprint of the certificate that the server at a port shows. */
const fingerprintAt = (port: number): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
      resolve(socket.getPeerX509Certificate()?.fingerprint256 ?? '');
      socket.destroy();
    });
    socket.on('error', reject);
  });

it('takes a renewed certificate into use, and keeps the old one where the new one is invalid', async () => {
  const directory = await makeTempDirectory('api-tls');
  await mkdir(join(directory.path, 'new'));
  const files = await makeCertificate(directory.path);
  const newer = await makeCertificate(join(directory.path, 'new'));
  const settings = readSettings({
    DATABRIDGE_API_PORT: '0',
    DATABRIDGE_API_TLS_CERT: files.certificatePath,
    DATABRIDGE_API_TLS_KEY: files.keyPath,
  }).api;
  const certificate = certificateOf(settings);
  if (certificate === undefined) throw new Error('no certificate');
  let logged = '';
  const log = pino({}, { write: (line: string) => void (logged += line) });
  const app = fastify({ https: certificate.read() });
  const port = Number(new URL(await listen(app, settings, true)).port);
  const following = followCertificate(app, certificate, { title: settings.title, log, everyMs: 20 });
  try {
    const before = await fingerprintAt(port);
    expect(await fingerprintAt(port)).toBe(before);
    await writeFile(files.certificatePath, 'nonsense');
    while (!logged.includes('cannot be used')) await fingerprintAt(port);
    expect(await fingerprintAt(port)).toBe(before);
    await copyFile(newer.keyPath, files.keyPath);
    await copyFile(newer.certificatePath, files.certificatePath);
    let shown = await fingerprintAt(port);
    while (shown === before) shown = await fingerprintAt(port);
    expect(logged).toContain('is in use');
  } finally {
    following.stop();
    await app.close();
    await directory.remove();
  }
});
