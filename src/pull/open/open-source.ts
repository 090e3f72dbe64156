import type { Sealing } from '../../access/sealing.ts';
import type { Coverage } from '../../core/coverage.ts';
import type { Unreadable } from '../../core/unreadable.ts';
import { BridgeError } from '../../core/errors.ts';
import type { Instant } from '../../core/instant.ts';
import type { Learned } from '../../core/learn.ts';
import type { LocalTimes } from '../../core/local-time.ts';
import { nameRoom, rulesOf } from '../../core/mapping.ts';
import type { Mapping, NameRoom } from '../../core/mapping.ts';
import type { Policy } from '../../core/plan.ts';
import { referencesIn } from '../../core/source/reference.ts';
import { sharing } from '../../core/source/shared-parts.ts';
import { nextDue } from '../../core/schedule.ts';
import { zoneOf } from '../../core/zone.ts';
import { isMapping } from '../../core/source/path.ts';
import { titleOf } from '../../core/source/source-name.ts';
import type { SharedClock } from '../../database/clock.ts';
import type { Database } from '../../database/database.ts';
import { parseListed, platformsFor } from '../../platform/platforms-for.ts';
import { asDeclared } from '../../platform/contract.ts';
import type { Credentials, Platform, Selection } from '../../platform/contract.ts';
import type { Registry } from '../../platform/registry.ts';
import { agentPool, guardEgress, openConnection } from '../../platform/connection/index.ts';
import type { AllowedHosts, ProxySettings, Connection, ConnectionParts } from '../../platform/connection/index.ts';
import type { PullMeters } from '../meters.ts';
import { askedPlatform } from './asked-platform.ts';
import { compactConfig, storedConfigOf, inClear } from './kept-config.ts';
import type { KeptConfig } from './kept-config.ts';
import { accountDigest, linksOf, sharedAccountOf } from './account.ts';
import type { SharedAccount } from './account.ts';
import type { HostPaces } from '../../core/host-pace.ts';
import { pacedHostsOf } from '../../pace/host-pacer.ts';
import { hostPaceRowsOf, paceRowsOf } from '../../pace/pace-rows.ts';
import { loginTurns } from '../../pace/login-turns.ts';
import { pacerOf } from '../../pace/pacer.ts';
import { unseal } from '../../access/sealed-config.ts';
import { withReferenceRemedy } from './reference-remedy.ts';
import { sourceTokensOf } from './tokens.ts';

/** What a process keeps of the row of a source. */
interface Identity {
  readonly id: number;
  readonly revision: number;
  /** Tells this revision from every other one, also of a database that was restored. */
  readonly edition: string;
  readonly projectId: number;
  readonly start: Instant;
}

/** A row of `source` as a claim returns it. `config` is null where the process has this edition open already. */
export interface SourceRow extends Identity {
  readonly name: string;
  readonly organisation: string;
  readonly config: unknown;
}

/** A row of `stream` as a claim returns it. */
export interface Stream {
  readonly id: number;
  readonly key: string;
  readonly selection: Selection;
  readonly covered: Coverage;
  readonly learned: Learned | null;
  /** Failures in a row of live, and of history. */
  readonly failures: number;
  readonly historyFailures: number;
  /** When live asked last, whatever the answer was. */
  readonly askedAt: Instant | null;
  readonly retryAt: Instant | null;
  /** History is due or under way, or waits after a failure. */
  readonly historyDue: boolean;
  /** Time that could not be read. */
  readonly unreadable: readonly Unreadable[];
  /** Covered time to ask for once more for late data. */
  readonly lookAgain: Coverage;
  /** How often commits have noted looks in `lookAgain`. */
  readonly looksNoted: number;
  /** Looks for late data reach no further back, because readings before it have other names, or had another owner. */
  readonly looksFrom: Instant | null;
}

/** A source with an open connection to its platform. */
export interface OpenSource extends Omit<Identity, 'start'> {
  readonly name: string;
  readonly organisation: string;
  readonly platform: Platform;
  /** Without the text of its operator. */
  readonly config: KeptConfig;
  readonly options: unknown;
  readonly policy: Policy;
  readonly rules: Mapping;
  readonly connection: Connection;
}

/** What a process keeps of a source between its polls: what would take long to make anew, in little memory. */
export interface KeptSource extends Pick<OpenSource, 'rules' | 'connection'> {
  /** For one poll. */
  open(): OpenSource;
}

export const USER_AGENT = 'databridge';

/**
 * Opens sources from their rows: unseals and parses the configuration, and adds the pace and the tokens that all processes
 * share. Throws `config-invalid` for a configuration that this build does not understand.
 */
export function sourceOpener(given: {
  readonly database: Database;
  readonly sealing: Sealing;
  readonly clock: SharedClock;
  readonly registry: Registry;
  readonly workerId: string;
  readonly allowHosts: AllowedHosts;
  readonly proxy?: ProxySettings | undefined;
  readonly meters?: PullMeters | undefined;
  readonly hostPaces?: HostPaces | undefined;
}): (row: SourceRow) => Promise<KeptSource> {
  const { database, sealing, clock, registry, workerId, allowHosts, proxy, meters, hostPaces = new Map() } = given;
  const { now } = clock;
  const room = nameRoom();
  const agents = agentPool({ guard: guardEgress(allowHosts), proxy });
  const rows = paceRowsOf(database);
  const hosts = pacedHostsOf({ rows: hostPaceRowsOf(database), paces: hostPaces, now });
  const links = linksOf(database);
  const logins = loginTurns(now);
  const share = sharing();

  /** The parts that all hosts share. Its functions keep nothing else of what the source was opened from. */
  function partsOf({ id, revision }: Identity, config: KeptConfig, digest: string): SharedParts {
    const account = (): SharedAccount => sharedAccountOf(database, digest, { links, logins, sourceId: id });
    const [pace, every] = [config.pace, config.schedule.every];
    const liveAfter = (at: Instant) => ({ every, dueAt: nextDue(titleOf(config), every, at) });
    const linked = { digest, link: (sourceId: number, changed: number) => account().link(sourceId, changed) };
    const ofSource = { sourceId: id, revision, pace, every, liveAfter, account: linked };
    return {
      account,
      pacer: pacerOf({ database, rows, hosts, workerId, now, meters, ...ofSource }),
      tokens: () => sourceTokensOf(database, sealing, id),
      agents,
    };
  }

  return async (row) => {
    const config = row.config ?? (await storedConfigOf(database, row));
    const raw = await unseal(config, sealing);
    const parsed = await parseListed(raw, await platformsFor(registry, raw), { kinds: registry.kinds });
    if (!parsed.ok) {
      const [problem] = parsed.problems;
      throw new BridgeError({ code: 'config-invalid' }, `${problem?.path ?? ''}: ${problem?.message ?? ''}`, {
        remedy: problem?.remedy,
      });
    }
    const source = compactConfig(parsed.source, share);
    const { id, revision, edition, projectId, start } = row;
    const identity = { id, revision, edition, projectId, start };
    return await keptSource(identity, {
      config: source,
      platform: parsed.platform,
      shared: (secrets) => partsOf(identity, source, accountDigest(sealing, secrets)),
      now,
      allowHosts,
      proxy,
      room,
    });
  };
}

/** The parts of a connection that sources or hosts share. */
export type SharedParts = Pick<ConnectionParts, 'pacer' | 'tokens' | 'account' | 'agents' | 'record'>;

interface OpeningParts {
  readonly config: KeptConfig;
  readonly platform: Platform;
  /** Called with the secrets in clear. */
  readonly shared: (credentials: Credentials) => SharedParts;
  readonly now: () => Instant;
  readonly allowHosts: AllowedHosts;
  readonly proxy?: ProxySettings | undefined;
  /** Shared by the sources of a process. */
  readonly room?: NameRoom;
}

/**
 * Opens a source from its parsed configuration. `check` and `preview` use it without a database. Adapters remember what they learn of
 * a platform by the object of its options, so each opening has its own.
 */
export async function openSource(row: Identity, { config, ...given }: OpeningParts): Promise<OpenSource> {
  const options: unknown = isMapping(config.options) ? { ...config.options } : config.options;
  return (await keptSource(row, { ...given, config: { ...config, options } })).open();
}

async function keptSource(row: Identity, given: OpeningParts): Promise<KeptSource> {
  const { config } = given;
  const platform = asDeclared(given.platform, config.options);
  const authorisation = platform.kinds[config.kind as keyof typeof platform.kinds];
  if (authorisation === undefined)
    throw new BridgeError({ code: 'config-invalid' }, `${platform.title} does not take ${config.kind}`);
  const { connection, options, tls } = await inClear(config);
  const opened = openConnection(
    {
      baseUrl: connection['url'] ?? '',
      source: config.name,
      credentials: connection,
      authorisation,
      options,
      allowHosts: given.allowHosts,
      proxy: given.proxy,
      tls,
      longestSilence: config.pace.longestSilence,
    },
    { ...given.shared(connection), now: given.now, userAgent: USER_AGENT },
  );
  const localTimes = localTimesOf(config, platform);
  const rules = rulesOf(config, { localTimes, qualities: platform.facts.quality, room: given.room });
  return kept({ row, config, platform: given.platform, options, rules, connection: opened });
}

type Parts = Pick<OpenSource, 'config' | 'platform' | 'options' | 'rules' | 'connection'> & { readonly row: Identity };

/** It holds nothing that is quickly made anew, because a process keeps one for each source. */
function kept({ row, config, platform, options, rules, connection }: Parts): KeptSource {
  return {
    rules,
    connection,
    open() {
      const { start, ...identity } = row;
      const zone = rules.localTimes?.zone;
      const cleanError = (error: unknown): BridgeError =>
        withReferenceRemedy(connection.cleanError(error), referencesIn('connection', config.connection));
      return {
        ...identity,
        name: config.name,
        organisation: config.organisation,
        platform: askedPlatform(asDeclared(platform, config.options), { zone, cleanError }),
        config,
        options,
        policy: {
          start,
          settle: config.schedule.settle,
          align: config.schedule.align,
          overlap: config.schedule.overlap,
          maxWindow: config.schedule.maxWindow,
          zone,
        },
        rules,
        connection,
      };
    },
  };
}

function localTimesOf({ mapping }: KeptConfig, { facts }: Platform): LocalTimes | undefined {
  if (!facts.localTime || mapping.timezone === undefined) return undefined;
  return { zone: zoneOf(mapping.timezone), dst: mapping.dst };
}
