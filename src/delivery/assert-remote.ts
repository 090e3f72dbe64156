import { openPushClient } from '../client/index.ts';
import { configInvalid } from '../core/errors.ts';
import { looksLikeReference, parseReference } from '../core/source/reference.ts';

/** Throws `config-invalid` for an address that no service can have, and for a secret that is a misspelled reference. */
export function assertRemote({ url, secret }: { readonly url: string; readonly secret: string }): void {
  if (looksLikeReference(secret) && parseReference(secret) === undefined) {
    throw configInvalid(
      'the secret looks like a reference, but is none',
      "write '${env:NAME}', or '${file:/path}' with the whole path",
      'secret',
    );
  }
  try {
    openPushClient({ baseUrl: url, organisation: '', applicationId: '', applicationSecret: '' });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw configInvalid(`--url: ${error.message}`, 'give the part of the address before /v0', 'url');
  }
}
