import { readFileSync, statSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { SecureContextOptions } from 'node:tls';
import { configInvalid } from '../core/errors.ts';
import type { ListenSettings } from '../settings-api.ts';

/** TLS 1.3, and 1.2 with forward secrecy and an authenticated cipher, as RFC 9325 recommends; the strongest suites first. */
const TLS = {
  minVersion: 'TLSv1.2',
  honorCipherOrder: true,
  ciphers: [
    'TLS_AES_256_GCM_SHA384',
    'TLS_CHACHA20_POLY1305_SHA256',
    'TLS_AES_128_GCM_SHA256',
    'ECDHE-ECDSA-AES256-GCM-SHA384',
    'ECDHE-RSA-AES256-GCM-SHA384',
    'ECDHE-ECDSA-CHACHA20-POLY1305',
    'ECDHE-RSA-CHACHA20-POLY1305',
    'ECDHE-ECDSA-AES128-GCM-SHA256',
    'ECDHE-RSA-AES128-GCM-SHA256',
  ].join(':'),
} as const satisfies SecureContextOptions;

/** The files that hold the certificate of a server and its key. */
export interface Certificate {
  /** Reads both files, for a server that takes TLS as `TLS` says. Throws `config-invalid` where they cannot be used. */
  read(): SecureContextOptions & typeof TLS;
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
        const files = { ...TLS, cert: readFileSync(certificate), key: readFileSync(key) };
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
