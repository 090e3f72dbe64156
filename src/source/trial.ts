import type { Batch } from '../core/batch.ts';
import { asBridgeError } from '../core/errors.ts';
import type { BridgeError } from '../core/errors.ts';
import { rulesOf } from '../core/mapping.ts';
import { referencesIn } from '../core/source/reference.ts';
import { startOf } from '../core/source/source.ts';
import type { SourceConfig } from '../core/source/source.ts';
import { lengthOf } from '../core/window.ts';
import type { Window } from '../core/window.ts';
import type { Credentials, Grant, Platform, Sensor } from '../platform/contract.ts';
import { memoryTokens, newMeter } from '../platform/connection/index.ts';
import type { AllowedHosts, GrantStore, Pacer, ProxySettings, Recording } from '../platform/connection/index.ts';
import { unavailable } from '../platform/connection/unreachable.ts';
import { halvedAfter, readWindow } from '../pull/fetch-window.ts';
import { openSource } from '../pull/open/open-source.ts';
import type { OpenSource, SharedParts } from '../pull/open/open-source.ts';
import { withReferenceRemedy } from '../pull/open/reference-remedy.ts';
import type { FailedSensors } from '../pull/set-apart.ts';
import { listSensors } from '../pull/sensors/sensors.ts';
import { planStreams } from '../pull/sensors/stream-plan.ts';
import type { PlannedStream } from '../pull/sensors/stream-plan.ts';
import { namesOnTrial } from './names-on-trial.ts';
import type { NamesOnTrial } from './names-on-trial.ts';
import { sharingOf } from './sharing.ts';
import type { Sharing, SharedWithWorkers, SharingWish } from './sharing.ts';

/** The first request of a trial must be answered within this, connecting included, because an operator waits for it. */
const FIRST_ANSWER_MS = 10_000;

/** A minute halved 12 times is 15 ms. */
const MOST_HALVINGS = 12;

/** A source opened for a check or preview. It saves nothing; `sharingOf` says what it shares with workers. */
export interface Trial extends Omit<NamesOnTrial, 'judge'> {
  readonly source: OpenSource;
  readonly sharing: Sharing;
  /** Whether the workers of the registered source use the same credentials; undefined where they have used none yet. */
  readonly asWorkers: boolean | undefined;
  /** Requests sent so far, logins included. */
  readonly requests: () => number;
  /** Requests with the secret that the platform refused: each counts where the platform locks accounts. */
  readonly refusedRequests: () => number;
  /** Calls `platform.identify`. Throws `unavailable` where the first request gets no answer in time. */
  identify(): ReturnType<Platform['identify']>;
  /**
   * The sensors that a poll would read. Calls `tell` where the platform does not show some of them; polls read the others.
   * Throws `config-invalid` where it shows none of them, and for variables that become one series.
   */
  sensors(tell?: (missing: BridgeError) => void): Promise<readonly Sensor[]>;
  /**
   * All sensors that the platform shows, also those that the source does not choose. Where the platform searches for `text` itself,
   * at least those that hold it.
   */
  everySensor(text: string): { readonly shown: AsyncIterable<Sensor>; readonly byPlatform: boolean };
  /** The streams that a registration would make of these sensors. */
  streamsOf(sensors: readonly Sensor[]): readonly PlannedStream[];
  /**
   * Reads a window. Where that is too much, reads the newest or oldest part of it that is not. Points of series that belong to
   * another owner, and of names that the project takes no series for, are refused as in a poll, which reads a window again where it meets
   * the first ones.
   */
  read(
    stream: PlannedStream,
    window: Window,
    keep: 'newest' | 'oldest',
    maxReadings: number,
    how?: {
      /** Instead of those of the source. */
      readonly options?: unknown;
      /** Whoever has the series, and however many the project takes: the answers of the platform are tested, not the names. */
      readonly anyName?: boolean;
    },
  ): Promise<TrialRead>;
  close(): Promise<void>;
}

export interface TrialRead {
  readonly window: Window;
  readonly batch: Batch;
  /** Sensors that could not be read; polls read them apart from the others. */
  readonly failed: FailedSensors;
  /** How many times the window was halved. */
  readonly halvings: number;
  /** How many times a window was asked for, those that were too much included. */
  readonly asked: number;
}

export interface TrialParts extends SharingWish {
  readonly signal: AbortSignal;
  readonly allowHosts: AllowedHosts;
  readonly proxy?: ProxySettings | undefined;
  /** Gets the answers to the adapter, and everything that must not be kept with them. Names of recorded answers have no owner. */
  readonly tape?: {
    readonly record: Recording;
    readonly credentials: (credentials: Credentials) => void;
    readonly granted: (grant: Grant) => void;
  };
}

/**
 * Opens a source from its configuration. Throws `config-invalid` for a missing secret or certificate, `credentials-rejected` where the
 * bridge knows that the platform refuses the credentials.
 */
export async function openTrial(config: SourceConfig, platform: Platform, given: TrialParts): Promise<Trial> {
  const { now, signal, allowHosts, proxy, tape } = given;
  const sharing = await sharingOf(config, given);
  const counting = countedRequests();
  let parts: SharedWithWorkers | undefined;
  const shared = (credentials: Credentials): SharedParts => {
    tape?.credentials(credentials);
    parts = sharing.partsFor(credentials);
    const { pacer, tokens, account } = parts;
    return {
      pacer: counting.over(pacer),
      tokens: tape === undefined ? tokens : watchedTokens(tape.granted),
      account,
      record: tape?.record,
    };
  };
  const source = await openSource(
    { id: 0, revision: 0, edition: '', projectId: 0, start: startOf(config.schedule.start, now()) },
    { config, platform, shared, now, allowHosts, proxy },
  );
  try {
    await parts?.assertMayAsk();
  } catch (error) {
    await source.connection.close();
    throw withReferenceRemedy(asBridgeError(error), referencesIn('connection', config.connection));
  }
  const { minWindow, sensorsPerRead, namesVariables } = source.platform.facts;
  const plainRules = rulesOf(config, { localTimes: source.rules.localTimes, qualities: source.rules.qualities });
  const names = namesOnTrial(tape === undefined ? given.bridge?.database : undefined, config, source.rules);
  return {
    source,
    sharing,
    asWorkers: parts?.asWorkers,
    seriesOfOthers: () => names.seriesOfOthers(),
    newNames: () => names.newNames(),
    requests: counting.requests,
    refusedRequests: () => parts?.refusedRequests() ?? 0,
    async identify() {
      const { silent } = counting;
      const either = AbortSignal.any([signal, silent]);
      try {
        return await platform.identify(
          source.connection.http({ lane: 'live', signal: either, meter: newMeter() }),
          source.options,
        );
      } catch (error) {
        if (!silent.aborted) throw error;
        throw unavailable('time-out', `${config.connection['url']}: no answer within ${FIRST_ANSWER_MS / 1000} s`);
      }
    },
    async sensors(tell = () => undefined) {
      const http = source.connection.http({ lane: 'live', signal, meter: newMeter() });
      const { sensors, problems, leftOut } = await listSensors(source, http);
      const problem = sensors.length === 0 ? problems[0] : problems.find((one) => !leftOut.includes(one));
      if (problem !== undefined) throw problem;
      for (const one of leftOut) tell(one);
      return sensors;
    },
    everySensor(text) {
      const http = source.connection.http({ lane: 'live', signal, meter: newMeter() });
      const { search } = source.platform;
      return text === '' || search === undefined
        ? { shown: source.platform.sensors(http, source.options), byPlatform: false }
        : { shown: search(http, source.options, text), byPlatform: true };
    },
    streamsOf: (sensors) =>
      planStreams(sensors, [], { sensorsPerRead, namesVariables, mostSeries: Infinity, chosen: config.sensors }).added,
    async read(planned, wanted, keep, maxReadings, { options = source.options, anyName = false } = {}) {
      const rules = anyName ? plainRules : source.rules;
      let window = wanted;
      let halvings = 0;
      for (let asked = 1; ; asked += 1) {
        try {
          const request = { stream: planned, lane: 'live' as const, window, maxReadings, now };
          const { batch, failed } = await readWindow({ ...source, options, rules }, request, signal);
          if (!anyName && (await names.judge())) continue;
          return { window, batch, failed, halvings, asked };
        } catch (error) {
          if (halvings === MOST_HALVINGS) throw error;
          halvings += 1;
          const { length } = halvedAfter(error, { length: lengthOf(window) }, window, minWindow);
          window =
            keep === 'newest'
              ? { from: window.to - length, to: window.to }
              : { from: window.from, to: window.from + length };
        }
      }
    },
    close: () => source.connection.close(),
  };
}

/** Tokens of this process, each of which is told. */
function watchedTokens(granted: (grant: Grant) => void): GrantStore {
  const tokens = memoryTokens();
  return {
    ...tokens,
    replace: (stale, obtain) =>
      tokens.replace(stale, async (previous) => {
        const grant = await obtain(previous);
        granted(grant);
        return grant;
      }),
  };
}

/** Counts requests, and aborts `silent` where the first request gets no answer in time. */
function countedRequests(): { over: (inner: Pacer) => Pacer; requests: () => number; silent: AbortSignal } {
  const silence = new AbortController();
  let requests = 0;
  let timer: NodeJS.Timeout | undefined;
  return {
    requests: () => requests,
    silent: silence.signal,
    over: (inner) => ({
      async slot(lane, signal, about) {
        const slot = await inner.slot(lane, signal, about);
        requests += 1;
        if (requests === 1) timer = setTimeout(() => silence.abort(), FIRST_ANSWER_MS);
        return {
          inDoubt: slot.inDoubt,
          release(ending) {
            clearTimeout(timer);
            return slot.release(ending);
          },
        };
      },
      hold: (until, sign) => inner.hold(until, sign),
    }),
  };
}
