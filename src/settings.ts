import { resolve } from 'node:path';
import { z } from 'zod';
import { LONGEST_TOKEN_SECONDS } from './core/token-lifetime.ts';
import { configInvalid } from './core/errors.ts';
import { parseHostPaces } from './core/host-pace.ts';
import type { HostPaces } from './core/host-pace.ts';
import { databaseServers, redisServers } from './core/server-address.ts';
import { apiFields, apiSettings } from './settings-api.ts';
import type { ApiSettings } from './settings-api.ts';
import { archiveFields, archiveSettings } from './settings-archive.ts';
import type { ArchiveSettings } from './settings-archive.ts';
import { operatorFields, operatorSettings } from './settings-operator.ts';
import type { OperatorSettings } from './settings-operator.ts';

/** 32 bytes in base64 or base64url, or a reference to a file. */
const SEALING_KEY = /^(?:[A-Za-z0-9+/_-]{43}=?|\$\{file:\/[^},\0]*\})$/;

const listOf = (text: string): readonly string[] => text.split(',').map((entry) => entry.trim());

/** A name, `*.` and a name, an IPv4 address, or an IPv6 address without brackets. */
const HOST = /^(?:\*\.)?[\p{L}\p{N}._-]+$|^[\da-f]*:[\da-f.:]+$/iu;

/** An entry of the hosts without proxy: a name, an address or a network, and a port. */
const DIRECT =
  /^(?:(?:\*?\.)?[\p{L}\p{N}._-]+(?:\/\d+)?|\[[\da-f:.]+\]|\*)(?::\d+)?$|^[\da-f]*:[\da-f.:]+(?:\/\d+)?$|^$/iu;

function isProxy(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, pathname, search, hash } = new URL(text);
  return /^https?:$/.test(protocol) && hostname !== '' && pathname === '/' && search === '' && hash === '';
}

/** All environment variables with their defaults. The table in `docs/settings.md` is generated from them. */
const schema = z.object({
  DATABRIDGE_HOME: z
    .string()
    .default('.databridge')
    .describe('directory for the embedded database and the sealing key'),
  DATABASE_URL: z
    .string()
    .refine((text) => databaseServers(text) !== undefined, 'is not the address of servers of which one takes writes')
    .optional()
    .describe(
      'a PostgreSQL 18 or newer of your own, of several servers the one that takes writes: `postgres://user@a,b/name`; without it the embedded PostgreSQL is used. A password may stand in a file: `${file:/path}`',
    ),
  REDIS_URL: z
    .string()
    .refine((text) => redisServers(text) !== undefined, 'is not the address of a Redis')
    .optional()
    .describe(
      'moves the queue to Redis; without it the queue is in PostgreSQL. A cluster: `redis://a:6379,redis://b:6379`; sentinels: `redis+sentinel://a:26379,b:26379/master`; with `rediss` over TLS, `?sslrootcert=/path` names its CA. A password may stand in a file: `${file:/path}`',
    ),
  DATABRIDGE_KEY: z
    .string()
    .regex(SEALING_KEY, 'is not 32 bytes in base64')
    .optional()
    .describe(
      'key that seals secrets at rest, 32 bytes in base64, or a file that holds it as `${file:/path}`; without it a key is made in DATABRIDGE_HOME',
    ),
  DATABRIDGE_PREVIOUS_KEYS: z
    .string()
    .refine((text) => listOf(text).every((key) => SEALING_KEY.test(key)), 'is not a list of keys of 32 bytes in base64')
    .optional()
    .describe('former values of DATABRIDGE_KEY, separated by commas; they open secrets that were sealed before'),
  DATABRIDGE_QUEUE_PREFIX: z.string().default('{databridge}').describe('prefix of all Redis keys; keep the hash tag'),
  DATABRIDGE_POLLS: z.coerce
    .number()
    .int()
    .min(1)
    .max(1000)
    .default(100)
    .describe('polls a process works on at a time, besides those that wait for a platform'),
  DATABRIDGE_HISTORY: z.coerce
    .number()
    .int()
    .min(1)
    .max(100)
    .default(4)
    .describe('history jobs a process works on at a time, besides those that wait for a platform'),
  DATABRIDGE_WINDOW_READINGS: z.coerce
    .number()
    .int()
    .min(100)
    .max(5_000_000)
    .default(50_000)
    .describe('readings a window should hold; a window with four times as many is halved'),
  DATABRIDGE_EGRESS_HOSTS: z
    .string()
    .refine((text) => listOf(text).every((host) => HOST.test(host)), 'is not a list of hosts without scheme and port')
    .optional()
    .describe(
      'hosts that platforms, their authorisation servers and the services of `ingestion push` may be asked at, separated by commas: names, addresses, or `*.plant.example` for all names below it; without it any, except metadata and link-local addresses, which are always blocked',
    ),
  DATABRIDGE_EGRESS_PROXY: z
    .string()
    .refine(isProxy, 'is not an address like http://proxy.plant.example:3128')
    .optional()
    .describe(
      'HTTP proxy through which platforms, their authorisation servers and other bridges are asked, each in a tunnel (`CONNECT`): `http://` or `https://`, host and port, also `user:password@` for Basic; `HTTP_PROXY` and `HTTPS_PROXY` are not read',
    ),
  DATABRIDGE_EGRESS_NO_PROXY: z
    .string()
    .refine((text) => listOf(text).every((entry) => DIRECT.test(entry)), 'is not a list of hosts and networks')
    .default('')
    .describe(
      'hosts that are asked without the proxy, separated by commas: a name with all names below it, `.plant.example` for those below it only, an address, a network like `10.0.0.0/8`, each also with a port; this machine always is',
    ),
  DATABRIDGE_HOST_PACES: z
    .string()
    .refine(
      (text) => parseHostPaces(text) !== undefined,
      'is not a list like historian.plant.example=10, 10.0.0.5:8086=2.5',
    )
    .optional()
    .describe(
      'requests a second that hosts of platforms may get from all sources, projects and processes together, the same on every host of the bridge: `historian.plant.example=10, 10.0.0.5:8086=2.5`; a name without port counts for all its ports; without it each source has its own pace alone',
    ),
  DATABRIDGE_ADAPTERS: z
    .string()
    .optional()
    .describe(
      'directory from which the adapters that sources name may be loaded, on every host; their code runs as the bridge; without it none',
    ),
  DATABRIDGE_ALERTS: z
    .string()
    .optional()
    .describe(
      'YAML file with the rules of alerts and the targets that they are told to, the same on every host; without it the usual rules and no target',
    ),
  ...archiveFields,
  DATABRIDGE_DRAIN_SECONDS: z.coerce
    .number()
    .int()
    .min(0)
    .max(3600)
    .default(25)
    .describe('time that running jobs get to end after SIGTERM, s'),
  DATABRIDGE_CLOCK_SECONDS: z.coerce
    .number()
    .int()
    .min(1)
    .max(86_400)
    .default(10)
    .describe('how far the clocks of this host and of the database may differ; beyond it the host polls nothing, s'),
  DATABRIDGE_LOG_DAYS: z.coerce.number().int().min(1).max(3650).default(30).describe('days the window log is kept'),
  DATABRIDGE_LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'])
    .default('info')
    .describe('lowest level that is logged'),
  DATABRIDGE_TOKEN_MIN_SECONDS: z.coerce
    .number()
    .int()
    .min(1)
    .max(LONGEST_TOKEN_SECONDS)
    .default(300)
    .describe('how long an access token lives while the service is busy, s'),
  DATABRIDGE_TOKEN_MAX_SECONDS: z.coerce
    .number()
    .int()
    .min(1)
    .max(LONGEST_TOKEN_SECONDS)
    .default(3600)
    .describe('how long an access token lives while the service is calm, s'),
  DATABRIDGE_REFRESH_TOKEN_DAYS: z.coerce
    .number()
    .int()
    .min(1)
    .max(3650)
    .default(30)
    .describe('days after which an unused refresh token expires'),
  DATABRIDGE_REFRESH_TOKEN_MOST_DAYS: z.coerce
    .number()
    .int()
    .min(1)
    .max(36_500)
    .default(365)
    .describe('days after which an application has to create a token with its secret, however often it renewed one'),
  DATABRIDGE_TOKEN_ISSUER: z
    .string()
    .max(500)
    .default('databridge')
    .describe('issuer and audience in access tokens, the same on all hosts; best the address that clients use'),
  ...apiFields,
  ...operatorFields,
  DATABRIDGE_POOL: z.coerce.number().int().min(2).max(200).default(12).describe('database connections of a process'),
});

export interface Settings {
  readonly home: string;
  readonly databaseUrl: string | undefined;
  readonly redisUrl: string | undefined;
  readonly sealingKey: string | undefined;
  readonly previousKeys: readonly string[];
  readonly queuePrefix: string;
  readonly polls: number;
  readonly historyJobs: number;
  readonly windowReadings: number;
  /** Where connections to platforms may go, and how. */
  readonly egress: {
    /** Undefined: any host. */
    readonly allowHosts: readonly string[] | undefined;
    readonly proxy: { readonly url: string; readonly exceptions: readonly string[] } | undefined;
    /** The requests a second that hosts may get from all sources together. */
    readonly hostPaces: HostPaces;
  };
  /** Undefined: a source may name no adapter. */
  readonly adapters: string | undefined;
  /** The file of the rules of alerts; undefined: the usual rules, and no target. */
  readonly alerts: string | undefined;
  readonly archive: ArchiveSettings | undefined;
  readonly drainMs: number;
  readonly clockDifferenceMs: number;
  readonly logDays: number;
  readonly logLevel: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent';
  readonly poolSize: number;
  readonly api: ApiSettings;
  readonly operator: OperatorSettings;
  readonly tokenMinSeconds: number;
  readonly tokenMaxSeconds: number;
  readonly refreshTokenDays: number;
  readonly refreshTokenMostDays: number;
  readonly tokenIssuer: string;
}

/** Environment → settings. Throws `config-invalid` naming the variable; an empty variable counts as not set. */
export function readSettings(environment: Readonly<Record<string, string | undefined>>): Settings {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const parsed = schema.safeParse(given);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const name = String(issue?.path[0]);
    throw configInvalid(`${name}: ${issue?.message ?? 'is not valid'}`, `set ${name} as docs/settings.md says`, name);
  }
  const values = parsed.data;
  if (values.DATABRIDGE_TOKEN_MIN_SECONDS > values.DATABRIDGE_TOKEN_MAX_SECONDS) {
    const name = 'DATABRIDGE_TOKEN_MIN_SECONDS';
    throw configInvalid(
      `${name}: is more than DATABRIDGE_TOKEN_MAX_SECONDS`,
      'make it smaller, or DATABRIDGE_TOKEN_MAX_SECONDS larger',
      name,
    );
  }
  return {
    home: resolve(values.DATABRIDGE_HOME),
    databaseUrl: values.DATABASE_URL,
    redisUrl: values.REDIS_URL,
    sealingKey: values.DATABRIDGE_KEY,
    previousKeys: values.DATABRIDGE_PREVIOUS_KEYS === undefined ? [] : listOf(values.DATABRIDGE_PREVIOUS_KEYS),
    queuePrefix: values.DATABRIDGE_QUEUE_PREFIX,
    polls: values.DATABRIDGE_POLLS,
    historyJobs: values.DATABRIDGE_HISTORY,
    windowReadings: values.DATABRIDGE_WINDOW_READINGS,
    egress: egressOf(values),
    adapters: values.DATABRIDGE_ADAPTERS === undefined ? undefined : resolve(values.DATABRIDGE_ADAPTERS),
    alerts: values.DATABRIDGE_ALERTS === undefined ? undefined : resolve(values.DATABRIDGE_ALERTS),
    archive: archiveSettings(values, values.DATABRIDGE_HOME),
    drainMs: values.DATABRIDGE_DRAIN_SECONDS * 1000,
    clockDifferenceMs: values.DATABRIDGE_CLOCK_SECONDS * 1000,
    logDays: values.DATABRIDGE_LOG_DAYS,
    logLevel: values.DATABRIDGE_LOG_LEVEL,
    poolSize: values.DATABRIDGE_POOL,
    api: apiSettings(values),
    operator: operatorSettings(values),
    tokenMinSeconds: values.DATABRIDGE_TOKEN_MIN_SECONDS,
    tokenMaxSeconds: values.DATABRIDGE_TOKEN_MAX_SECONDS,
    refreshTokenDays: values.DATABRIDGE_REFRESH_TOKEN_DAYS,
    refreshTokenMostDays: values.DATABRIDGE_REFRESH_TOKEN_MOST_DAYS,
    tokenIssuer: values.DATABRIDGE_TOKEN_ISSUER,
  };
}

function egressOf(values: z.infer<typeof schema>): Settings['egress'] {
  const hosts = values.DATABRIDGE_EGRESS_HOSTS;
  const url = values.DATABRIDGE_EGRESS_PROXY;
  const exceptions = listOf(values.DATABRIDGE_EGRESS_NO_PROXY).filter((entry) => entry !== '');
  return {
    allowHosts: hosts === undefined ? undefined : listOf(hosts),
    proxy: url === undefined ? undefined : { url, exceptions },
    hostPaces: parseHostPaces(values.DATABRIDGE_HOST_PACES ?? '') ?? new Map(),
  };
}

/** Name, default and meaning of each setting, for `docs/settings.md` and `doctor`. */
export const describeSettings = (): { name: string; fallback: string; meaning: string }[] =>
  Object.entries(schema.shape).map(([name, field]) => {
    const fallback: string | number | undefined = field.safeParse(undefined).data;
    return { name, fallback: fallback === undefined ? '' : `${fallback}`, meaning: field.description ?? '' };
  });
