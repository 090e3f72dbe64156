import { readFileSync, statSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { configInvalid } from '../core/errors.ts';
import type { ListenSettings } from '../settings-api.ts';

/** The files that hold the certificate of a server and its key. */
export interface Certificate {
  /** Reads both files. Throws `config-invalid` where they cannot be used. */
  read(): { readonly cert: Buffer; readonly key: Buffer };
  /** When the newer of the two files was written, ms since 1970. */
  changedAt(): number;
}

/** Undefined where the settings name no files. Throws `config-invalid` where they name only one of the two. */
export function certificateOf(settings: ListenSettings): Certificate | undefined {
  const { title, variables, tlsCertificate: certificate, tlsKey: key } = settings;
  if (certificate === undefined && key === undefined) return undefined;
  if (certificate === undefined || key === undefined) {
    const missing = `DATABRIDGE_${variables}_TLS_${key === undefined ? 'KEY' : 'CERT'}`;
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
          `the certificate of ${title} cannot be used: ${(error as Error).message}`,
          `let DATABRIDGE_${variables}_TLS_CERT and DATABRIDGE_${variables}_TLS_KEY name PEM files that belong together and that this user may read`,
          `DATABRIDGE_${variables}_TLS_CERT`,
        );
      }
    },
    changedAt: () => Math.max(statSync(certificate).mtimeMs, statSync(key).mtimeMs),
  };
}
