import type { BridgeError } from '../../core/errors.ts';
import type { LookupFunction } from 'node:net';
import type { Authorisation, Credentials, Http } from '../contract.ts';
import { configInvalid } from '../../core/errors.ts';
import { HOUR } from '../../core/instant.ts';
import type { Instant, Microseconds } from '../../core/instant.ts';
import { attemptOf } from './account.ts';
import type { AccountStore, Attempt } from './account.ts';
import { agentPool } from './agents.ts';
import type { AgentPool, Agents, Tls } from './agents.ts';
import { authorised } from './authorisation.ts';
import { cleanError } from './clean.ts';
import { lightHttp } from './client.ts';
import { responseOf } from './deliver.ts';
import { guardEgress } from './egress.ts';
import type { AllowedHosts } from './egress.ts';
import { Gate } from './gate.ts';
import { grantsOf } from './grants.ts';
import type { ConnectionGrants } from './grants.ts';
import { refusedAnswerError, judged } from './judged.ts';
import type { Judging } from './judged.ts';
import type { Conversation, PlatformAnswer, PlatformRequest, Send } from './layer.ts';
import { newMeter } from './meter.ts';
import { defaultLimits } from './limits.ts';
import type { RequestLimits } from './limits.ts';
import { HeldSlots, paced } from './pacing.ts';
import { WatchedClock, watchingClock } from './platform-clock.ts';
import type { PlatformClock } from './platform-clock.ts';
import type { ProxySettings } from './proxy.ts';
import type { Pacer } from './pacing.ts';
import { onTape } from './recording.ts';
import type { Recording } from './recording.ts';
import { redactorFor } from './redaction.ts';
import type { Redactor } from './redaction.ts';
import { redirected } from './redirects.ts';
import { requestOf } from './request.ts';
import { repeatStale } from './stale.ts';
import { stopOf } from './stop.ts';
import type { GrantStore } from './tokens.ts';
import { transport } from './transport.ts';

export { inBrackets, memoryAccount, MOST_REFUSED } from './account.ts';
export type { AccountStore, Admission, Renewals } from './account.ts';
export { agentPool } from './agents.ts';
export type { AgentPool, Tls } from './agents.ts';
export { guardEgress } from './egress.ts';
export type { AllowedHosts } from './egress.ts';
export type { ProxySettings } from './proxy.ts';
export type { Conversation, RequestEnd } from './layer.ts';
export type { RequestLimits } from './limits.ts';
export { newMeter } from './meter.ts';
export type { Meter } from './meter.ts';
export type { Pacer, PlatformSign } from './pacing.ts';
export { memoryTokens } from './tokens.ts';
export type { GrantStore } from './tokens.ts';
export type { RecordedAnswer, Recording } from './recording.ts';

export interface ConnectionSettings {
  /** `http://` or `https://` with the path that all requests begin with; without user, query and fragment. */
  readonly baseUrl: string;
  /** The name of the source, by which it renews its tokens at a time of its own. */
  readonly source?: string;
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
  /** The token of the source, or how to get it: sources without a login need none. */
  readonly tokens: GrantStore | (() => GrantStore);
  /** The account that the credentials of the source belong to, or how to get it when it is needed. */
  readonly account: AccountStore | (() => AccountStore);
  readonly now: () => Instant;
  /** Gets every answer to the adapter, of a check that is recorded. */
  readonly record?: Recording | undefined;
  readonly userAgent: string;
  /** Resolves names; without it the resolver of the system does. */
  readonly lookup?: LookupFunction;
  /** The kept connections, where sources share them; they have a guard and a proxy of their own. */
  readonly agents?: AgentPool | undefined;
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
  /** Nobody has an http of it for now. Called again and again; the next http needs no other call. */
  rest(): void;
  /** Cancels all requests under way, gives their slots and a token of its own back, and closes every TCP connection. */
  close(): Promise<void>;
}

/**
 * Sends nothing yet; the first request connects. Throws `config-invalid` for an address or a certificate that is not
 * valid. Once the platform has finally refused the credentials, every further request fails without being sent. To try
 * new credentials, or the same ones again, the caller opens a new connection; the account has to admit them, too.
 */
export const openConnection = (settings: ConnectionSettings, parts: ConnectionParts): Connection =>
  new PlatformConnection(settings, parts);

/** There is one for each source, so it holds its state only: each http brings its layers. */
class PlatformConnection implements Connection {
  readonly clock = new WatchedClock();
  readonly #settings: ConnectionSettings;
  readonly #parts: ConnectionParts;
  readonly #origin: string;
  readonly #pool: AgentPool;
  readonly #agents: Agents;
  readonly #redactor: Redactor;
  readonly #gate = new Gate();
  readonly #slots = new HeldSlots();
  #closing: AbortController | undefined;
  #grants: ConnectionGrants | undefined;

  constructor(settings: ConnectionSettings, parts: ConnectionParts) {
    const { hostname, origin } = baseOf(settings.baseUrl);
    this.#settings = settings;
    this.#parts = parts;
    this.#origin = origin;
    this.#redactor = redactorFor(settings.credentials);
    this.#pool =
      parts.agents ?? agentPool({ guard: guardEgress(settings.allowHosts, parts.lookup), proxy: settings.proxy });
    this.#agents = this.#pool.take(hostname, settings.tls ?? {});
  }

  readonly cleanError = (error: unknown): BridgeError => cleanError(error, this.#redactor.redact);

  http({ place, ...conversation }: Conversation): Http {
    const { authorisation, credentials, options } = this.#settings;
    const judging = this.#judging();
    const signing = {
      authorisation,
      credentials,
      options,
      redactor: this.#redactor,
      gate: this.#gate,
      attempt: () => this.#attempt('request'),
      origin: this.#origin,
      refusalOf: (answer: PlatformAnswer, request: PlatformRequest) => refusedAnswerError(answer, request, judging),
    };
    if (authorisation.obtain) this.#grants ??= this.#newGrants();
    const signed = authorised(signing, this.#grants, this.#exchange());
    const send = judged(judging, false, onTape(this.#parts.record, signed));
    const sendFrom: Send = place === undefined ? send : (request) => place.waitFor(send(request));
    this.#closing ??= new AbortController();
    return this.#client(sendFrom, conversation, this.#closing.signal);
  }

  rest(): void {
    if (this.#slots.areBack && this.#closing?.signal.aborted === false) this.#closing = undefined;
  }

  async close(): Promise<void> {
    (this.#closing ??= new AbortController()).abort();
    await this.#slots.settled();
    await this.#grants?.giveBack({ lane: 'live', signal: AbortSignal.timeout(GIVE_BACK_MS), meter: newMeter() });
    await this.#slots.settled();
    this.#pool.giveBack(this.#agents);
  }

  #attempt(kind: 'request' | 'login'): Attempt {
    return attemptOf(this.#account(), kind, this.#redactor.redact);
  }

  #account(): AccountStore {
    const { account } = this.#parts;
    return typeof account === 'function' ? account() : account;
  }

  #judging(): Judging {
    const { pacer, now } = this.#parts;
    return { pacer, redactor: this.#redactor, now, longestSilence: this.#settings.longestSilence ?? HOUR };
  }

  /** One request as often as it has to be sent, each time in a slot. */
  #exchange(): Send {
    const { pacer, now } = this.#parts;
    const sent = transport(this.#agents, { ...defaultLimits, ...this.#settings.limits });
    const dated = watchingClock({ origin: this.#origin, now, clock: this.clock }, sent);
    return redirected(repeatStale(paced({ pacer, slots: this.#slots }, dated)));
  }

  #newGrants(): ConnectionGrants {
    const { source, authorisation, credentials, options } = this.#settings;
    const { tokens, now } = this.#parts;
    return grantsOf({
      source,
      authorisation,
      credentials,
      options,
      tokens: typeof tokens === 'function' ? tokens() : tokens,
      redactor: this.#redactor,
      gate: this.#gate,
      now,
      attempt: () => this.#attempt('login'),
      renewals: this.#account().renewals,
      login: (conversation, permit) => {
        const login = judged(this.#judging(), true, this.#exchange());
        return this.#client((request) => login({ ...request, permit }), { ...conversation, login: true });
      },
    });
  }

  /** `closing`: of the connection. A login needs none, because the request that it is for is stopped. */
  #client(send: Send, conversation: Conversation, closing?: AbortSignal): Http {
    const redactor = this.#redactor;
    return lightHttp({
      baseUrl: this.#settings.baseUrl,
      userAgent: this.#parts.userAgent,
      cleanError: this.cleanError,
      async adapter(config) {
        const signals = [conversation.signal, closing, config.signal].filter((one) => one instanceof AbortSignal);
        const stop = stopOf(signals);
        let isStreamed = false;
        try {
          const request = requestOf(config, { ...conversation, signal: stop.signal });
          const answer = await send(request);
          isStreamed = config.responseType === 'stream' && !answer.body.closed;
          // The caller reads on, and may be stopped until the end of the body.
          if (isStreamed) answer.body.once('close', stop.end);
          return await responseOf(answer, request, config, redactor);
        } finally {
          if (!isStreamed) stop.end();
        }
      },
    });
  }
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
