import { kinds } from '../../../adapters/kinds.ts';
import { parseSource } from '../../../src/core/source/source.ts';
import { formatProblem } from '../../../src/core/source/problems.ts';
import type { Instant } from '../../../src/core/instant.ts';
import type { Authorisation, Grant, KindName, Platform } from '../../../src/platform/contract.ts';
import { memoryAccount, memoryTokens } from '../../../src/platform/connection/index.ts';
import type { ConnectionParts, GrantStore } from '../../../src/platform/connection/index.ts';
import { openSource } from '../../../src/pull/open/open-source.ts';
import type { OpenSource } from '../../../src/pull/open/open-source.ts';
import { authorisationServer } from '../../../src/simulator/authorisation-server.ts';
import { connectionOf } from '../../../src/simulator/connection.ts';
import { SimulatedClock } from '../../../src/simulator/clock.ts';
import type { SimulatedAccount, SimulatedPlatform } from '../../../src/simulator/contract.ts';
import { serve } from '../../../src/simulator/serve.ts';
import type { ServedSimulator } from '../../../src/simulator/serve.ts';
import type { TruthSpec } from '../../../src/simulator/truth.ts';
import { schemaKeys } from '../../../src/core/source/shape.ts';
import { countingPacer } from './pacer.ts';
import type { CountingPacer } from './pacer.ts';
import type { Subject } from './subject.ts';
import { NOW } from './truths.ts';

export interface GroundOptions {
  readonly truth: TruthSpec;
  readonly kind?: KindName;
  /** Instead of the right ones. */
  readonly account?: SimulatedAccount;
  /** Points of a page, where the product lets them be chosen. */
  readonly cap?: number;
  /** How far the bridge's clock is ahead of the platform's, µs. */
  readonly ahead?: number;
  /** The seconds a token of the separate authorisation server lives. */
  readonly tokenSeconds?: number;
}

/** A simulated platform that listens, and a source of it as an operator would register it. */
export interface Ground {
  readonly subject: Subject;
  readonly source: OpenSource;
  readonly simulator: ServedSimulator;
  /** Undefined where the platform has none. */
  readonly authorisation: ServedSimulator | undefined;
  readonly pacer: CountingPacer;
  readonly clock: SimulatedClock;
  /** Everything that must never be shown: the secret, and each token so far. */
  readonly secrets: readonly string[];
  /** From now on the clock of the bridge stands while that of the platform may go on. */
  readonly standStill: () => void;
  /** The platform has this data from now on. Its sessions end. */
  change(truth: TruthSpec): void;
  close(): Promise<void>;
}

export const SECRET = 'Pa55-never-shown';
const ACCOUNT: SimulatedAccount = { username: 'bridge', password: SECRET };

/** A kind and its fields, for `connectionOf`. */
export const fieldsOf = (kind: KindName) => ({ kind, fields: schemaKeys(kinds[kind]) });

export async function openGround(subject: Subject, options: GroundOptions): Promise<Ground> {
  const { platform, product } = subject;
  const { truth, account = ACCOUNT, cap, ahead = 0, tokenSeconds = 3600 } = options;
  const kind = options.kind ?? (Object.keys(platform.kinds)[0] as KindName);
  const clock = new SimulatedClock(NOW / 1000);
  const pages = cap === undefined ? undefined : product.pagesOf?.(cap);
  const accounts = [ACCOUNT];
  const authorisation = product.hasAuthorisationServer
    ? await serve(authorisationServer({ accounts, lifetimeSeconds: tokenSeconds }, clock), clock)
    : undefined;
  const authUrl = authorisation?.url;
  const open = (data: TruthSpec): SimulatedPlatform =>
    product.open({ accounts, truth: data, ...(authUrl !== undefined && { authUrl }), ...pages?.simulator }, clock);
  let current = open(truth);
  const simulator = await serve(
    delegating(() => current),
    clock,
  );
  const pacer = countingPacer();
  let standsAt: Instant | undefined;
  const now = (): Instant => standsAt ?? clock.nowMs() * 1000 + ahead;
  const secrets = new Set([SECRET]);
  const tokens = watchedTokens((grant) => secrets.add(grant.token));
  const urls = { url: `${simulator.url}${product.path ?? ''}`, authUrl: authUrl ?? simulator.url };
  const connection = connectionOf(product, fieldsOf(kind), account, urls);
  const given = { kind, connection, options: { ...product.sourceOptions, ...pages?.source } };
  const source = await sourceFor(platform, given, { pacer, tokens, now });
  return {
    subject,
    source,
    simulator,
    authorisation,
    pacer,
    clock,
    get secrets() {
      return [...secrets];
    },
    standStill: () => (standsAt = now()),
    change(data) {
      current = open(data);
    },
    async close() {
      await source.connection.close();
      await simulator.close();
      await authorisation?.close();
    },
  };
}

/** Without a login. */
const unsigned: Authorisation = { sign: () => ({}) };

/** A source of a server that is there already, with these options; nothing signs its requests. */
export async function openGroundAt(
  subject: Subject,
  simulator: ServedSimulator,
  clock: SimulatedClock,
  options: Readonly<Record<string, unknown>>,
): Promise<Ground> {
  const kind = Object.keys(subject.platform.kinds)[0] as KindName;
  const connection = connectionOf({}, fieldsOf(kind), ACCOUNT, { url: simulator.url, authUrl: simulator.url });
  const pacer = countingPacer();
  const { declaredBy } = subject.platform;
  const kinds = { [kind]: unsigned };
  const platform = {
    ...subject.platform,
    kinds,
    ...(declaredBy && { declaredBy: (given: unknown) => ({ ...declaredBy(given), kinds }) }),
  };
  const parts = { pacer, tokens: memoryTokens(), now: () => NOW };
  const source = await sourceFor(platform, { kind, connection, options }, parts);
  return {
    subject,
    source,
    simulator,
    authorisation: undefined,
    pacer,
    clock,
    secrets: [SECRET],
    standStill: () => undefined,
    change: () => undefined,
    async close() {
      await source.connection.close();
      await simulator.close();
    },
  };
}

async function sourceFor(
  platform: Platform,
  given: { readonly kind: KindName; readonly connection: unknown; readonly options: unknown },
  { now, ...shared }: Pick<ConnectionParts, 'pacer' | 'tokens' | 'now'>,
): Promise<OpenSource> {
  const parsed = parseSource(
    {
      name: 'conformance',
      project: 'conformance',
      platform: platform.name,
      schedule: { every: '1m', start: '2025-01-01T00:00:00Z' },
      ...given,
    },
    [platform],
    { kinds },
  );
  if (!parsed.ok) throw new Error(parsed.problems.map(formatProblem).join('\n'));
  const account = memoryAccount();
  return await openSource(
    { id: 1, revision: 1, edition: '', projectId: 1, start: 0 },
    { config: parsed.source, platform, shared: () => ({ ...shared, account }), now, allowHosts: undefined },
  );
}

/** Asks the platform of the moment, so that its data can change while the address stays. */
const delegating = (current: () => SimulatedPlatform): SimulatedPlatform => ({
  answer: (request) => current().answer(request),
  errorAnswer: (status) => current().errorAnswer(status),
  invalidateTokens: (tokens) => current().invalidateTokens(tokens),
  restart: () => current().restart?.(),
  state: () => current().state(),
});

function watchedTokens(granted: (grant: Grant) => void): GrantStore {
  const tokens = memoryTokens();
  return {
    current: () => tokens.current(),
    replace: (stale, obtain) =>
      tokens.replace(stale, async (previous) => {
        const grant = await obtain(previous);
        granted(grant);
        return grant;
      }),
  };
}
