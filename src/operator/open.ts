import type { FastifyInstance } from 'fastify';
import { certificateOf } from '../api/certificate.ts';
import { assertPrivate, followCertificate, listen } from '../api/listen.ts';
import { configInvalid } from '../core/errors.ts';
import type { Settings } from '../settings.ts';
import { unnamedProxy } from '../settings-api.ts';
import type { OperatorRoute } from './authenticate.ts';
import type { OperatorParts } from './parts.ts';
import { operatorServer } from './server.ts';

/** Connections of operators, who so keep no poll and no push waiting for one; and the longest statement, ms. */
const OWN_DATABASE = { poolSize: 5, statementMs: 30_000 };

/** The operator API while it listens. */
export interface RunningOperatorApi {
  readonly url: string;
  readonly server: FastifyInstance;
  readonly routes: readonly OperatorRoute[];
  /** Takes no new requests, answers those under way, then ends. */
  close(): Promise<void>;
}

/** Throws `config-invalid` where the settings of the operator API cannot be right. Starts nothing. */
export function assertOperatorSettings({ operator }: Pick<Settings, 'operator'>): void {
  if (!operator.serves) return;
  const certificate = certificateOf(operator);
  certificate?.read();
  assertPrivate(operator, certificate);
  const { oidc, publicOrigin, takesPasswords } = operator;
  if (oidc === undefined && !takesPasswords) {
    throw configInvalid(
      'DATABRIDGE_OPERATOR_PASSWORDS is off and DATABRIDGE_OIDC_ISSUER is not set, so nobody could sign in',
      'set DATABRIDGE_OIDC_ISSUER, or leave passwords on',
      'DATABRIDGE_OPERATOR_PASSWORDS',
    );
  }
  if (oidc === undefined) return;
  for (const [name, value] of [
    ['DATABRIDGE_OIDC_CLIENT_ID', oidc.clientId],
    ['DATABRIDGE_OPERATOR_URL', publicOrigin],
  ] as const) {
    if (value === undefined) {
      throw configInvalid(
        `DATABRIDGE_OIDC_ISSUER is set and ${name} is not`,
        `set ${name}, as docs/operators.md says`,
        name,
      );
    }
  }
}

/**
 * Starts the operator API on a listener of its own, because it has other clients than `/v0` and other rules of the firewall.
 * Throws `config-invalid` for wrong settings, `unavailable` where its port is taken.
 */
export async function openOperatorApi(
  parts: OperatorParts,
  more: { readonly addRoutes?: (app: FastifyInstance) => void } = {},
): Promise<RunningOperatorApi> {
  const { log } = parts;
  const settings = parts.settings.operator;
  assertOperatorSettings(parts.settings);
  const trouble = unnamedProxy(settings);
  if (trouble !== undefined) log.warn({ remedy: trouble.remedy }, trouble.message);
  const certificate = certificateOf(settings);
  const database = parts.database.beside(OWN_DATABASE);
  const closing: (() => Promise<unknown>)[] = [() => database.close()];
  const close = async (): Promise<void> => {
    for (const end of closing) await end();
  };
  try {
    const { app, routes } = await operatorServer({ ...parts, database, ...more, certificate });
    closing.unshift(() => app.close());
    const url = await listen(app, settings, certificate !== undefined);
    const following = certificate && followCertificate(app, certificate, { ...settings, log });
    return {
      url,
      server: app,
      routes,
      async close() {
        following?.stop();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}
