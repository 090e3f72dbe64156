import { z } from 'zod';
import { trustedProxies } from './settings-api.ts';
import type { ListenSettings } from './settings-api.ts';
import { oidcFields, oidcSettings } from './settings-oidc.ts';
import type { OidcSettings } from './settings-oidc.ts';
import { OPERATOR_PORT } from './settings-port.ts';

/** Environment variables of the operator API. */
export const operatorFields = {
  DATABRIDGE_OPERATOR: z
    .enum(['on', 'off', 'everywhere'])
    .default('on')
    .describe(
      'whether `up` and `api` serve the operator API (`/api/v1`, `/metrics`); `everywhere`: `worker` does, too',
    ),
  DATABRIDGE_OPERATOR_HOST: z.string().default('127.0.0.1').describe('address the operator API listens on'),
  DATABRIDGE_OPERATOR_PORT: z.coerce
    .number()
    .int()
    .min(0)
    .max(65_535)
    .default(OPERATOR_PORT)
    .describe('port of the operator API; 0 takes a free one'),
  DATABRIDGE_OPERATOR_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('address at which operators reach the operator API, where a proxy or a name stands before it'),
  DATABRIDGE_OPERATOR_TLS_CERT: z
    .string()
    .optional()
    .describe('file of the certificate chain of the operator API (PEM), read again when it changes'),
  DATABRIDGE_OPERATOR_TLS_KEY: z.string().optional().describe('file of its private key (PEM)'),
  DATABRIDGE_OPERATOR_TRUST_PROXY: trustedProxies,
  DATABRIDGE_OPERATOR_ALLOW_PLAIN: z
    .enum(['true', 'false'])
    .default('false')
    .describe('allow plain HTTP of the operator API beyond this host; only safe behind a proxy that speaks TLS'),
  DATABRIDGE_OPERATOR_PASSWORDS: z
    .enum(['on', 'off'])
    .default('on')
    .describe('whether operators may sign in with passwords; `off` where an OpenID provider asks for a second factor'),
  DATABRIDGE_PASSWORD_LIST: z
    .string()
    .optional()
    .describe(
      'file of passwords that no operator may choose, one a line, such as a list of leaked ones; besides the short list of the bridge',
    ),
  ...oidcFields,
} as const;

/** Settings of the operator API. */
export interface OperatorSettings extends ListenSettings {
  readonly serves: boolean;
  /** Also a process that only polls serves it, mostly for `/metrics`. */
  readonly onWorkers: boolean;
  /** The origin of the address at which operators reach it, such as `https://bridge.example`; undefined: where it listens. */
  readonly publicOrigin: string | undefined;
  /** Whether operators may sign in with passwords. */
  readonly takesPasswords: boolean;
  /** The file of passwords that no operator may choose; undefined: there is none. */
  readonly passwordList: string | undefined;
  /** Undefined: operators sign in with passwords only. */
  readonly oidc: OidcSettings | undefined;
}

type Values = z.infer<z.ZodObject<typeof operatorFields>>;

export const operatorSettings = (values: Values): OperatorSettings => ({
  title: 'the operator API',
  variables: 'OPERATOR',
  serves: values.DATABRIDGE_OPERATOR !== 'off',
  onWorkers: values.DATABRIDGE_OPERATOR === 'everywhere',
  host: values.DATABRIDGE_OPERATOR_HOST,
  port: values.DATABRIDGE_OPERATOR_PORT,
  sharesPort: false,
  publicOrigin:
    values.DATABRIDGE_OPERATOR_URL === undefined ? undefined : new URL(values.DATABRIDGE_OPERATOR_URL).origin,
  takesPasswords: values.DATABRIDGE_OPERATOR_PASSWORDS === 'on',
  passwordList: values.DATABRIDGE_PASSWORD_LIST,
  oidc: oidcSettings(values),
  tlsCertificate: values.DATABRIDGE_OPERATOR_TLS_CERT,
  tlsKey: values.DATABRIDGE_OPERATOR_TLS_KEY,
  trustProxy: values.DATABRIDGE_OPERATOR_TRUST_PROXY,
  allowPlain: values.DATABRIDGE_OPERATOR_ALLOW_PLAIN === 'true',
});
