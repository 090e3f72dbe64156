import type { BridgeError } from '../../core/errors.ts';
import type { LookupFunction } from 'node:net';
import type { Authorisation, Credentials, Http } from '../contract.ts';
import { configInvalid } from '../../core/errors.ts';
import { HOUR } from '../../core/instant.ts';
import type { Instant, Microseconds } from '../../core/instant.ts';
import { attemptOf } from './account.ts';
import type { AccountStore } from './account.ts';
import { openAgents } from './agents.ts';
import type { Tls } from './agents.ts';
import { authorised } from './authorisation.ts';
import { cleanError } from './clean.ts';
import { clientOf } from './client.ts';
import { responseOf } from './deliver.ts';
import { guardEgress } from './egress.ts';
import type { AllowedHosts } from './egress.ts';
import { openGate } from './gate.ts';
import { grantsOf } from './grants.ts';
import { refusedAnswerError, judged } from './judged.ts';
import type { Conversation, Send } from './layer.ts';
import { newMeter } from './meter.ts';
import { defaultLimits } from './limits.ts';
import type { RequestLimits } from './limits.ts';
import { paced } from './pacing.ts';
import { watchingClock } from './platform-clock.ts';
import type { PlatformClock } from './platform-clock.ts';
import type { ProxySettings } from './proxy.ts';
import type { Pacer } from './pacing.ts';
import { onTape } from './recording.ts';
import type { Recording } from './recording.ts';
import { redactorFor } from './redaction.ts';
import { redirected } from './redirects.ts';
import { requestOf } from './request.ts';
import { repeatStale } from './stale.ts';
import type { GrantStore } from './tokens.ts';
import { transport } from './transport.ts';

export { inBrackets, memoryAccount, MOST_REFUSED } from './account.ts';
export type { AccountStore, Admission } from './account.ts';
export type { Tls } from './agents.ts';
export type { AllowedHosts } from './egress.ts';
export type { ProxySettings } from './proxy.ts';
export type { Conversation, RequestEnd } from './layer.ts';
export type { RequestLimits } from './limits.ts';
export { newMeter } from './meter.ts';
export type { Meter } from './meter.ts';
export type { Pacer } from './pacing.ts';
export { memoryTokens } from './tokens.ts';
export type { GrantStore } from './tokens.ts';
export type { RecordedAnswer, Recording } from './recording.ts';

export interface ConnectionSettings {
  /** `http://` or `https://` with the path that all requests begin with; without user, query and fragment. */
  readonly baseUrl: string;
  readonly credentials: Credentials;
  readonly authorisation: Authorisation;
  /** The options of the source, for the authorisation. */
  readonly options?: unknown;
  readonly tls?: Tls;
  readonly limits?: Partial<RequestLimits>;
  readonly allowHosts: AllowedHosts;
  /** The proxy that requests go through. */
  readonly proxy?: ProxySettings | undefined;
  /** The longest silence that the platform may ask for; default one hour. */
  readonly longestSilence?: Microseconds;
}

export interface ConnectionParts {
  readonly pacer: Pacer;
  readonly tokens: GrantStore;
  /** The account that the credentials of the source belong to. */
  readonly account: AccountStore;
  readonly now: () => Instant;
  /** Gets every answer to the adapter, of a check that is recorded. */
  readonly record?: Recording | undefined;
  readonly userAgent: string;
  /** Resolves names; without it the resolver of the system does. */
  readonly lookup?: LookupFunction;
}

/** At most this long, because an operator waits for the end of a check. */
const GIVE_BACK_MS = 5_000;

/** The connection to one platform. It keeps its TCP connections between conversations. */
export interface Connection {
  /** An http for one conversation, cheap to make. `Http` lists the errors it throws. */
  http(conversation: Conversation): Http;
  /** What the answers so far show of the platform's clock. */
  readonly clock: PlatformClock;
  /** An error of the platform's own code as a BridgeError without the secrets of this connection; `http` does so itself. */
  readonly cleanError: (error: unknown) => BridgeError;
  /** Cancels all requests under way, gives their slots and a token of its own back, and closes every TCP connection. */
  close(): Promise<void>;
}

/**
 * Sends nothing yet; the first request connects. Throws `config-invalid` for an address or a certificate that is not
 * valid. Once the platform has finally refused the credentials, every further request fails without being sent. To try
 * new credentials, or the same ones again, the caller opens a new connection; the account has to admit them, too.
 */
export function openConnection(settings: ConnectionSettings, parts: ConnectionParts): Connection {
  const { credentials, authorisation, options } = settings;
  const { pacer, tokens, account, now } = parts;
  const base = baseOf(settings.baseUrl);
  const redactor = redactorFor(credentials);
  const guard = guardEgress(settings.allowHosts, parts.lookup);
  const agents = openAgents({ guard, proxy: settings.proxy }, base.hostname, settings.tls ?? {});
  const closing = new AbortController();
  /** The combined signal is made once for each signal: made for each conversation, it would outlive many of them. */
  const combined = new WeakMap<AbortSignal, AbortSignal>();
  const judging = { pacer, redactor, now, longestSilence: settings.longestSilence ?? HOUR };
  const gate = openGate();

  const dated = watchingClock(
    { origin: base.origin, now },
    transport(agents, { ...defaultLimits, ...settings.limits }),
  );
  const wire = paced(pacer, dated.wire);
  const exchange = redirected(repeatStale(wire.send));
  const login = judged(judging, true, exchange);

  const clean = (error: unknown): BridgeError => cleanError(error, redactor.redact);
  const makeHttp = (send: Send, conversation: Conversation): Http =>
    clientOf({
      baseUrl: settings.baseUrl,
      userAgent: parts.userAgent,
      cleanError: clean,
      async adapter(config) {
        const { signal } = config;
        const both = signal instanceof AbortSignal ? AbortSignal.any([signal, conversation.signal]) : undefined;
        const request = requestOf(config, both ? { ...conversation, signal: both } : conversation);
        return responseOf(await send(request), request, config, redactor);
      },
    });

  const grants = authorisation.obtain
    ? grantsOf({
        authorisation,
        credentials,
        options,
        tokens,
        redactor,
        gate,
        now,
        attempt: () => attemptOf(account, 'login', redactor.redact),
        login: (conversation, permit) =>
          makeHttp((request) => login({ ...request, permit }), { ...conversation, login: true }),
      })
    : undefined;
  const signing = {
    authorisation,
    credentials,
    options,
    redactor,
    gate,
    attempt: () => attemptOf(account, 'request', redactor.redact),
    origin: base.origin,
    refusalOf: (answer: Parameters<typeof refusedAnswerError>[0], request: Parameters<typeof refusedAnswerError>[1]) =>
      refusedAnswerError(answer, request, judging),
  };
  const send = judged(judging, false, onTape(parts.record, authorised(signing, grants, exchange)));

  function withClosing(signal: AbortSignal): AbortSignal {
    const either = combined.get(signal) ?? AbortSignal.any([signal, closing.signal]);
    combined.set(signal, either);
    return either;
  }

  return {
    http({ place, ...conversation }) {
      const sendFrom: Send = place === undefined ? send : (request) => place.waitFor(send(request));
      return makeHttp(sendFrom, { ...conversation, signal: withClosing(conversation.signal) });
    },
    clock: dated.clock,
    cleanError: clean,
    async close() {
      closing.abort();
      await wire.settled();
      await grants?.giveBack({ lane: 'live', signal: AbortSignal.timeout(GIVE_BACK_MS), meter: newMeter() });
      await wire.settled();
      agents.destroy();
    },
  };
}

function baseOf(baseUrl: string): URL {
  const path = 'connection.url';
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw configInvalid('the address is not an http address', 'write it like https://host:port/path', path);
  }
  if (url.username !== '' || url.password !== '') {
    throw configInvalid('the address holds a user or password', 'put them into their own fields', path);
  }
  if (url.search !== '' || url.hash !== '') {
    throw configInvalid('the address holds parameters', 'leave out everything from "?" or "#" on', path);
  }
  return url;
}
