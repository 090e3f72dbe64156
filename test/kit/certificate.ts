import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

export interface Certificate {
  readonly certificatePath: string;
  readonly keyPath: string;
}

/** Makes a self-signed certificate for these addresses and localhost, valid for two days, with `openssl`. */
export async function makeCertificate(
  directory: string,
  addresses: readonly string[] = ['127.0.0.1'],
): Promise<Certificate> {
  const certificatePath = join(directory, 'certificate.pem');
  const keyPath = join(directory, 'key.pem');
  const names = [...addresses.map((address) => `IP:${address}`), 'DNS:localhost'].join();
  const subject = `-subj /CN=localhost -addext subjectAltName=${names}`;
  const request = `req -x509 -days 2 ${subject} -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes`;
  await promisify(execFile)('openssl', [...request.split(' '), '-keyout', keyPath, '-out', certificatePath]);
  return { certificatePath, keyPath };
}
