import type { Configuration, CustomFetch } from 'openid-client';
import { secretPlaces } from '../access/secret-places.ts';
import { resolveSecrets } from '../access/secret-reference.ts';
import { outgoingFetch } from '../platform/connection/outgoing.ts';
import type { Settings } from '../settings.ts';
import type { OidcSettings } from '../settings-oidc.ts';

/** How long a request to the issuer may take, ms. */
const PATIENCE_MS = 10_000;
/** How long the document of the issuer counts, ms; its keys have times of their own. */
const DOCUMENT_MS = 3_600_000;
/** How far the clock of the issuer may differ, s. */
const CLOCK_SECONDS = 30;

/** Every request to the issuer goes through the egress guard and the proxy, and none follows a redirect. */
function guardedFetch(egress: Settings['egress']): CustomFetch {
  const send = outgoingFetch(egress);
  return (url, { method, headers, body, signal }) =>
    send(new URL(url), {
      method,
      headers,
      // The library sends forms, or nothing.
      body: body instanceof URLSearchParams ? body.toString() : typeof body === 'string' ? body : '',
      signal: AbortSignal.any([AbortSignal.timeout(PATIENCE_MS), ...(signal ? [signal] : [])]),
    });
}

/**
 * The client of an issuer, discovered when an operator first signs in and again each hour. A failure is not remembered. The
 * library is loaded with it, because most processes sign no operator in.
 */
export function oidcClientOf(oidc: OidcSettings, egress: Settings['egress']): () => Promise<Configuration> {
  let known: Promise<Configuration> | undefined;
  let askedAt = 0;

  async function discover(): Promise<Configuration> {
    const { DATABRIDGE_OIDC_CLIENT_SECRET: secret } = await resolveSecrets(
      { DATABRIDGE_OIDC_CLIENT_SECRET: oidc.clientSecret },
      secretPlaces(),
    );
    const { allowInsecureRequests, clockTolerance, customFetch, discovery, enableNonRepudiationChecks } =
      await import('openid-client');
    const client = { ...(secret !== undefined && { client_secret: secret }), [clockTolerance]: CLOCK_SECONDS };
    return await discovery(new URL(oidc.issuer), oidc.clientId ?? '', client, undefined, {
      [customFetch]: guardedFetch(egress),
      timeout: PATIENCE_MS / 1000,
      execute: [
        // The signature of the ID token counts, although it comes from the issuer over TLS.
        enableNonRepudiationChecks,
        // The settings allow plain HTTP on loopback alone.
        ...(oidc.issuer.startsWith('http:') ? [allowInsecureRequests] : []),
      ],
    });
  }

  return async () => {
    if (known === undefined || performance.now() - askedAt > DOCUMENT_MS) {
      askedAt = performance.now();
      const asked = discover();
      known = asked;
      asked.catch(() => {
        if (known === asked) known = undefined;
      });
    }
    return await known;
  };
}
