import { secretPlaces } from '../access/secret-places.ts';
import { resolveSecrets } from '../access/secret-reference.ts';
import { PushError, openPushClient } from '../client/index.ts';
import type { PushFetch } from '../client/index.ts';
import { BridgeError, configInvalid } from '../core/errors.ts';
import { assertRemote } from './assert-remote.ts';
import { DELIVERY_REMEDIES } from './remedies.ts';
import type { RemoteSettings } from './remote.ts';

const PATIENCE_MS = 15_000;

/**
 * Gets a token and pushes an empty body. Where this returns, address, application, organisation and project are right.
 * `fetch` goes through the egress guard. Throws `config-invalid` for a setting that the operator has to correct, `unavailable` where the service does not answer.
 */
export async function checkRemote(settings: RemoteSettings, fetch: PushFetch): Promise<void> {
  assertRemote(settings);
  const { secret } = await resolveSecrets({ secret: settings.secret }, secretPlaces());
  const { url: baseUrl, organisation, applicationId } = settings;
  try {
    const client = openPushClient(
      { baseUrl, organisation, applicationId, applicationSecret: secret },
      { fetch, timeoutMs: PATIENCE_MS, userAgent: 'databridge' },
    );
    await client.push(settings.code, []);
  } catch (error) {
    if (error instanceof TypeError) throw configInvalid(error.message, 'give the codes that exist there');
    if (!(error instanceof PushError)) throw error;
    // The guard and the proxy name a remedy of their own.
    if (error.cause instanceof BridgeError) throw error.cause;
    const { code } = error.fault;
    const remedy = DELIVERY_REMEDIES[code];
    if (code === 'unreachable' || code === 'overloaded' || code === 'failed') {
      throw new BridgeError({ code: 'unavailable', why: 'refused' }, error.message, {
        remedy: `${remedy ?? 'try again later'}; --no-check saves it all the same`,
      });
    }
    throw configInvalid(error.message, remedy ?? 'check address, organisation, project and application');
  }
}
