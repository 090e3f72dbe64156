import { readFileSync, statSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { configInvalid } from '../core/errors.ts';
import type { ApiSettings } from '../settings-api.ts';

/** Certificate and key of the API in their files. */
export interface Certificate {
  /** What the files hold now. Throws `config-invalid` where that cannot be used. */
  read(): { readonly cert: Buffer; readonly key: Buffer };
  /** When the newer of the files was written, ms since 1970. */
  changedAt(): number;
}

/** Undefined where the API speaks no TLS. Throws `config-invalid` where only one of the two files is named. */
export function certificateOf(settings: ApiSettings): Certificate | undefined {
  const { tlsCertificate: certificate, tlsKey: key } = settings;
  if (certificate === undefined && key === undefined) return undefined;
  if (certificate === undefined || key === undefined) {
    const missing = key === undefined ? 'DATABRIDGE_API_TLS_KEY' : 'DATABRIDGE_API_TLS_CERT';
    throw configInvalid(`${missing} is not set`, 'set both the certificate and its key, or neither', missing);
  }
  return {
    read() {
      try {
        const files = { cert: readFileSync(certificate), key: readFileSync(key) };
        createSecureContext(files);
        return files;
      } catch (error) {
        throw configInvalid(
          `the certificate of the API cannot be used: ${(error as Error).message}`,
          'DATABRIDGE_API_TLS_CERT and DATABRIDGE_API_TLS_KEY name PEM files which belong together and which this user may read',
          'DATABRIDGE_API_TLS_CERT',
        );
      }
    },
    changedAt: () => Math.max(statSync(certificate).mtimeMs, statSync(key).mtimeMs),
  };
}
