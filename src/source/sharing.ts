import { setTimeout as sleep } from 'node:timers/promises';
import { BridgeError, asBridgeError, credentialsRejected } from '../core/errors.ts';
import { MINUTE, SECOND } from '../core/instant.ts';
import type { Instant } from '../core/instant.ts';
import type { Pace } from '../core/pace.ts';
import { nextAllowed } from '../core/quiet-hours.ts';
import { argumentsOf } from '../core/source/source-name.ts';
import type { SourceConfig } from '../core/source/source.ts';
import type { Credentials } from '../platform/contract.ts';
import { inBrackets, memoryAccount, memoryTokens } from '../platform/connection/index.ts';
import type { AccountStore, GrantStore, Pacer } from '../platform/connection/index.ts';
import { accountDigest, sharedAccountOf } from '../pull/open/account.ts';
import type { HostPaces } from '../core/host-pace.ts';
import { pacedHostsOf } from '../pace/host-pacer.ts';
import { hostPaceRowsOf, paceRowsOf } from '../pace/pace-rows.ts';
import { pacerOf } from '../pace/pacer.ts';
import { pause } from '../pace/pause.ts';
import { sourceTokensOf } from '../pull/open/tokens.ts';
import { localPacer } from './local-pacer.ts';
import { registeredAs } from './registered.ts';
import type { BridgeAtHand, RegisteredSource } from './registered.ts';

/** How a trial of a source asks its platform. */
export interface SharingWish {
  readonly now: () => Instant;
  /** The bridge that the trial shares pace and accounts with. Undefined: the trial has a pace and an account of its own. */
  readonly bridge?: BridgeAtHand | undefined;
  /** Asks although the source has quiet hours. */
  readonly inQuietHours?: boolean | undefined;
  /** Sends credentials once more that the platform refused before. */
  readonly tryAgain?: boolean | undefined;
  /** The paces of hosts, which the trial of a registered source keeps with the workers. */
  readonly hostPaces?: HostPaces | undefined;
}

/** What a trial shares with the workers of a bridge. */
export interface Sharing {
  readonly registered: RegisteredSource | undefined;
  /** The pace that the trial keeps: where the source is registered, the stricter one of its own and that of the file. */
  readonly pace: Pace;
  /** For the credentials in clear. */
  readonly partsFor: (credentials: Credentials) => SharedWithWorkers;
}

export interface SharedWithWorkers {
  readonly pacer: Pacer;
  readonly tokens: GrantStore;
  readonly account: AccountStore;
  /** Requests of this trial that were refused with the secret: each counts where the platform locks accounts. */
  readonly refusedRequests: () => number;
  /** Whether the workers of the registered source use these credentials; undefined where they have used none yet. */
  readonly asWorkers: boolean | undefined;
  /** Throws `credentials-rejected` where the platform refused the credentials often enough before, unless they are to be tried again. */
  readonly assertMayAsk: () => Promise<void>;
}

/**
 * A registered source gives a trial the slots of its own pace. Its token is shared where the credentials are those of its workers,
 * and the account on every bridge, so that check and workers together send a refused password twice at most. Without a bridge all
 * three are of this process.
 */
export async function sharingOf(config: SourceConfig, wish: SharingWish): Promise<Sharing> {
  const { bridge } = wish;
  const registered = bridge && (await registeredAs(bridge, config));
  const strict = registered === undefined ? config.pace : stricterOf(config.pace, registered.config.pace);
  const pace = wish.inQuietHours === true ? { ...strict, quietHours: [] } : strict;
  const own = (): Pacer => localPacer({ pace, now: wish.now });
  return {
    registered,
    pace,
    partsFor(credentials) {
      if (bridge === undefined) {
        const account = memoryAccount();
        const pacer = patient(own(), pace, wish.now);
        return {
          pacer,
          account,
          tokens: memoryTokens(),
          refusedRequests: account.refusedRequests,
          asWorkers: undefined,
          assertMayAsk: () => Promise.resolve(),
        };
      }
      const { database, sealing, clock, workerId } = bridge;
      const account = sharedAccountOf(database, accountDigest(sealing, credentials));
      const shared = {
        ...countedAccount(account),
        asWorkers: asWorkers(registered, account.digest),
        async assertMayAsk() {
          if (wish.tryAgain === true) await account.tryAgain();
          else if (await account.isLeftAlone()) {
            throw refusedBefore(config, registered, await account.lastRefusal());
          }
        },
      };
      if (registered === undefined) return { ...shared, pacer: patient(own(), pace, wish.now), tokens: memoryTokens() };
      const { id: sourceId, revision } = registered;
      const pacer = pacerOf({
        database,
        rows: paceRowsOf(database),
        sourceId,
        revision,
        pace,
        workerId,
        now: clock.now,
        byHand: true,
        hosts: pacedHostsOf({
          rows: hostPaceRowsOf(database),
          paces: wish.hostPaces ?? new Map(),
          now: clock.now,
        }),
        // The row goes on naming the account of the workers, because the credentials of a trial may be others.
        account: { digest: account.digest, link: () => Promise.resolve() },
      });
      // A stopped source has no token (law 9), and another password has to be seen to work by a login of its own.
      const sharesToken = shared.asWorkers === true && registered.state !== 'stopped';
      const tokens = sharesToken ? sourceTokensOf(database, sealing, sourceId) : memoryTokens();
      return { ...shared, tokens, pacer: patient(pacer, pace, clock.now) };
    },
  };
}

const asWorkers = (registered: RegisteredSource | undefined, digest: string): boolean | undefined =>
  registered?.account === undefined ? undefined : registered.account === digest;

const stricterOf = (one: Pace, other: Pace): Pace => ({
  requestsPerSecond: Math.min(one.requestsPerSecond, other.requestsPerSecond),
  burst: Math.min(one.burst, other.burst),
  concurrency: Math.min(one.concurrency, other.concurrency),
  quietHours: [...one.quietHours, ...other.quietHours],
});

/** Counts the refusals of this trial. */
function countedAccount(account: AccountStore): Pick<SharedWithWorkers, 'account' | 'refusedRequests'> {
  let refused = 0;
  return {
    refusedRequests: () => refused,
    account: {
      ...account,
      async refuse(attempt, requests, said) {
        refused += 1;
        return await account.refuse(attempt, requests, said);
      },
    },
  };
}

/** The credentials are those that the platform refused twice, to whichever process or host. */
function refusedBefore(
  config: SourceConfig,
  registered: RegisteredSource | undefined,
  said: string | undefined,
): BridgeError {
  const resume =
    registered === undefined ? '' : `, and databridge source resume ${argumentsOf(config)} polls the source again`;
  return credentialsRejected(
    `the platform refused these credentials before${inBrackets(said)}, so they were not sent again: it may lock the account`,
    `correct user, password or secret; where they are right on the platform now, --try-again sends them once more${resume}`,
  );
}

/** The slots of the workers fill the pace of a busy source, so a trial waits for this many of its intervals. */
const SLOTS_WAITED = 20;

/** Waits for a slot longer than a worker does, because an operator waits for the end. A long silence is an error all the same. */
function patient(pacer: Pacer, pace: Pace, now: () => Instant): Pacer {
  const longest = Math.max(MINUTE, (SLOTS_WAITED * SECOND) / pace.requestsPerSecond);
  return {
    hold: (until, sign) => pacer.hold(until, sign),
    async slot(lane, signal, about) {
      for (;;) {
        try {
          return await pacer.slot(lane, signal, about);
        } catch (caught) {
          const error = asBridgeError(caught);
          const { fault, message } = error;
          if (fault.code !== 'throttled') throw error;
          const at = now();
          const isQuiet = nextAllowed(pace.quietHours, at) !== at;
          if (isQuiet || fault.own !== true || fault.retryAt - at > longest) {
            const remedy = isQuiet ? 'try again then, or ask now with --in-quiet-hours' : 'try again then';
            throw new BridgeError(fault, message, { remedy });
          }
          await pause(sleep, fault.retryAt - at, signal);
        }
      }
    },
  };
}
