import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { API_PORT } from './settings-port.ts';

const MIB = 1_048_576;

/** A whole number from `least` to `most`. */
const whole = (least: number, most: number, fallback: number) =>
  z.coerce.number().int().min(least).max(most).default(fallback);

const isNetwork = (text: string): boolean => ipaddr.isValid(text) || ipaddr.isValidCIDR(text);

/** Proxies whose `X-Forwarded-For` is trusted. */
export const trustedProxies = z
  .string()
  .refine((text) => text.split(',').every((part) => isNetwork(part.trim())), 'is not a list of addresses and networks')
  .optional()
  .describe('proxies whose `X-Forwarded-For` is trusted: addresses or networks, separated by commas');

/** Where a server of this program listens, and how. */
export interface ListenSettings {
  /** The server in messages, such as `the API`. */
  readonly title: string;
  /** The word of its variables, `API` or `OPERATOR`. */
  readonly variables: string;
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** Other processes of this user may listen there, too; each new connection goes to one of them. */
  readonly sharesPort: boolean;
  readonly tlsCertificate: string | undefined;
  readonly tlsKey: string | undefined;
  readonly trustProxy: string | undefined;
  readonly allowPlain: boolean;
}

/** Environment variables of the `/v0` API. */
export const apiFields = {
  DATABRIDGE_API_HOST: z.string().default('127.0.0.1').describe('address the API listens on'),
  DATABRIDGE_API_PORT: whole(0, 65_535, API_PORT).describe('port of the API; 0 takes a free one'),
  DATABRIDGE_API_SHARE_PORT: z
    .enum(['true', 'false'])
    .default('false')
    .describe(
      'whether several `databridge api` of one user on this host listen on one port, and each new connection goes to one of them (Linux, FreeBSD)',
    ),
  DATABRIDGE_API_PUBLIC_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('address at which clients reach the API, without `/v0`; for the reference at `/docs`'),
  DATABRIDGE_API_DOCS: z
    .enum(['true', 'false'])
    .default('true')
    .describe('whether `/docs` and `/openapi.json` describe the API'),
  DATABRIDGE_API_TLS_CERT: z
    .string()
    .optional()
    .describe('file of the certificate chain (PEM), read again when it changes'),
  DATABRIDGE_API_TLS_KEY: z.string().optional().describe('file of its private key (PEM)'),
  DATABRIDGE_API_TRUST_PROXY: trustedProxies,
  DATABRIDGE_API_ALLOW_PLAIN: z
    .enum(['true', 'false'])
    .default('false')
    .describe('allow plain HTTP beyond this host; only safe behind a proxy that speaks TLS'),
  DATABRIDGE_API_BODY_BYTES: whole(1_024, 256 * MIB, 10 * MIB).describe('largest body after decompression, bytes'),
  DATABRIDGE_API_READINGS: whole(1, 1_000_000, 50_000).describe('most readings in a body'),
  DATABRIDGE_API_WAITING_BYTES: whole(MIB, 16_384 * MIB, 128 * MIB).describe(
    'bytes of bodies that may arrive or wait to be stored at a time; beyond that clients are told to retry later',
  ),
  DATABRIDGE_API_REQUEST_SECONDS: whole(1, 3_600, 60).describe('time a request may take to arrive, s'),
  DATABRIDGE_API_WAIT_SECONDS: whole(1, 600, 30).describe('time readings may wait to be stored, s'),
  DATABRIDGE_API_AHEAD_HOURS: whole(0, 8_760, 24).describe('how far in the future a pushed reading may lie, h'),
  DATABRIDGE_API_BACK_DAYS: whole(1, 400_000, 7_305).describe(
    'how far in the past a pushed reading may lie, days; each month with a reading is a table of its own. Backfills of sources may go back further',
  ),
  DATABRIDGE_API_TOKENS_PER_MINUTE: whole(1, 1_000_000, 60).describe(
    'token requests per minute of an application, counted where its secret is right; ten times as many from an address',
  ),
  DATABRIDGE_API_FAILURES_PER_MINUTE: whole(1, 1_000_000, 30).describe(
    'failed authentications per minute of an application, or of a refresh token, from one address; ten times as many of an address, and of an application from all addresses that got no token before',
  ),
} as const;

/** Settings of the `/v0` API. */
export interface ApiSettings extends ListenSettings {
  /** Without a slash at its end. */
  readonly publicUrl: string | undefined;
  readonly docs: boolean;
  readonly bodyBytes: number;
  readonly readings: number;
  readonly waitingBytes: number;
  readonly requestMs: number;
  readonly waitMs: number;
  readonly aheadHours: number;
  readonly backDays: number;
  readonly tokensPerMinute: number;
  readonly failuresPerMinute: number;
}

type Values = z.infer<z.ZodObject<typeof apiFields>>;

export const apiSettings = (values: Values): ApiSettings => ({
  title: 'the API',
  variables: 'API',
  host: values.DATABRIDGE_API_HOST,
  port: values.DATABRIDGE_API_PORT,
  sharesPort: values.DATABRIDGE_API_SHARE_PORT === 'true',
  publicUrl: values.DATABRIDGE_API_PUBLIC_URL?.replace(/\/+$/, ''),
  docs: values.DATABRIDGE_API_DOCS === 'true',
  tlsCertificate: values.DATABRIDGE_API_TLS_CERT,
  tlsKey: values.DATABRIDGE_API_TLS_KEY,
  trustProxy: values.DATABRIDGE_API_TRUST_PROXY,
  allowPlain: values.DATABRIDGE_API_ALLOW_PLAIN === 'true',
  bodyBytes: values.DATABRIDGE_API_BODY_BYTES,
  readings: values.DATABRIDGE_API_READINGS,
  waitingBytes: values.DATABRIDGE_API_WAITING_BYTES,
  requestMs: values.DATABRIDGE_API_REQUEST_SECONDS * 1000,
  waitMs: values.DATABRIDGE_API_WAIT_SECONDS * 1000,
  aheadHours: values.DATABRIDGE_API_AHEAD_HOURS,
  backDays: values.DATABRIDGE_API_BACK_DAYS,
  tokensPerMinute: values.DATABRIDGE_API_TOKENS_PER_MINUTE,
  failuresPerMinute: values.DATABRIDGE_API_FAILURES_PER_MINUTE,
});

/** The trouble of a proxy that is not named, and its remedy; undefined where there is none. */
export const unnamedProxy = ({
  variables,
  allowPlain,
  trustProxy,
  tlsCertificate,
}: ListenSettings): { readonly message: string; readonly remedy: string } | undefined =>
  allowPlain && trustProxy === undefined && tlsCertificate === undefined
    ? {
        message:
          `DATABRIDGE_${variables}_ALLOW_PLAIN is true and DATABRIDGE_${variables}_TRUST_PROXY is not set: all clients behind the proxy ` +
          'count as one address, so failures of one can stop all',
        remedy: `set DATABRIDGE_${variables}_TRUST_PROXY to the address of the proxy`,
      }
    : undefined;
