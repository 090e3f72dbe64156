import type { z } from 'zod';
import type { Instant } from '../core/instant.ts';
import type { Samples } from '../core/samples.ts';
import type { Window } from '../core/window.ts';
import type { Authorisation, KindName } from './authorisation.ts';
import type { PlatformFacts } from './facts.ts';
import type { Http } from './http.ts';
import type { FailedSensor, KnownVariable, Selection, Sensor } from './sensor.ts';

export type { Authorisation, Credentials, Grant, KindName, LoginContext } from './authorisation.ts';
export type { PlatformFacts } from './facts.ts';
export type { Http } from './http.ts';
export type { FailedSensor, KnownVariable, Selection, Sensor } from './sensor.ts';
export type { Samples };

/**
 * The contract of a platform: the page an adapter author reads, with authorisation.ts (kinds and logins), facts.ts, http.ts and
 * sensor.ts beside it.
 *
 * A platform says how to sign a request, which sensors there are and how one window of them is read. The `http` it is
 * given does pacing, time-outs, size limits, tokens, redaction and the classification of transport errors; the bridge
 * does windows, coverage, retries and storage.
 *
 * Instants and lengths of time are whole microseconds (core/instant.ts), windows are `[from, to)` (core/window.ts), and every error is
 * a BridgeError whose code says what the bridge does about it (core/errors.ts). Any other error is a `bug`.
 */

/** What a platform is for one source, where the options of the source decide it. */
export interface Declaration<O> {
  readonly facts: PlatformFacts;
  readonly kinds: Readonly<Partial<Record<KindName, Authorisation<O>>>>;
}

/** A platform. `O` is the output type of its options schema. */
export interface Platform<O = unknown> {
  /** The name of its folder, as operators write it under `platform`. */
  readonly name: string;
  /** The name of the product in messages. */
  readonly title: string;
  /** The address of the vendor's documentation of the API. */
  readonly docs: string;
  /** The kinds of credentials it takes, and how each signs a request. */
  readonly kinds: Readonly<Partial<Record<KindName, Authorisation<O>>>>;
  readonly options: z.ZodType<O>;
  readonly facts: PlatformFacts;
  /**
   * For a platform that the operator describes by options: its facts and authorisation under these options. `facts` and `kinds`
   * above are then what holds for every source of it. Where nothing proves that its answers are complete, the options hold
   * `unproven: accepted`, and lists of sources say so.
   */
  readonly declaredBy?: (options: O) => Declaration<O>;
  /** Options that must give the same points by other pages. `source check` compares them where there is `declaredBy`. */
  readonly otherPages?: (options: O, points: number) => readonly O[];
  /**
   * The fields of a source that say where its data is, such as `connection.url` and `options.database`. Where an operator
   * changes one of them, the coverage of the source begins anew. A field that only chooses among the data there is none of them.
   */
  readonly place: readonly string[];
  /**
   * The identifiers that a sensor and a variable, known under the options `before`, have under the options `after`; undefined
   * where only the platform could tell. An operator is asked before a change of options renames series that have readings.
   */
  readonly renamed: (known: KnownVariable, before: O, after: O) => { sensor: string; variable: string } | undefined;
  /**
   * Asks the cheapest question that only this platform answers, then whether the credentials may read. Returns the
   * product in its own words, and its clock where it shows one. Throws `contract-broken` ("this is not …"),
   * `unsupported`, `credentials-rejected` or `config-invalid`, with a remedy.
   */
  readonly identify: (http: Http, options: O) => Promise<{ product: string; clock?: Instant }>;
  /** Whether this platform answers, by an unsigned question. Left out where no such answer tells it from others. */
  readonly recognise?: (http: Http) => Promise<boolean>;
  /** Yields every sensor the credentials may read and the options choose. */
  readonly sensors: (http: Http, options: O) => AsyncIterable<Sensor>;
  /**
   * Yields those of `sensors` that have these identifiers, with requests in proportion to their number; one that is not there
   * is left out. The bridge calls it where an operator listed the sensors of a source. Left out where `sensors` takes a
   * few requests however many there are.
   */
  readonly find?: (http: Http, options: O, ids: readonly string[]) => AsyncIterable<Sensor>;
  /**
   * Yields at least those of `sensors` whose id or name holds this text, in capitals or not; the bridge drops the others. Left out
   * where the platform cannot search. Where it cannot for this text or under these options, it yields all of `sensors`.
   */
  readonly search?: (http: Http, options: O, text: string) => AsyncIterable<Sensor>;
  /**
   * Yields the samples of one window, page by page: every point with `from <= at < to`. The bridge drops points outside; they count
   * towards the size of the window. A failure must never look like an empty window: an error inside an HTTP 200 is
   * `contract-broken`, an answer that was cut short is `too-much`. A sensor of `selection.sensors` that fails alone is a
   * `FailedSensor`. The bridge may stop early; the generator then has to destroy the stream it has open. The bridge takes the secrets of the connection out of every error.
   */
  readonly read: (
    http: Http,
    options: O,
    selection: Selection,
    window: Window,
  ) => AsyncIterable<Samples | FailedSensor>;
}

/** Declares a platform. The type parameter ties `options` to the functions that receive them. */
export const definePlatform = <O>(platform: Platform<O>): Platform => platform as unknown as Platform;

/** The platform as the options of a source declare it; the platform itself where its facts do not depend on them. */
export const asDeclared = (platform: Platform, options: unknown): Platform =>
  platform.declaredBy === undefined ? platform : { ...platform, ...platform.declaredBy(options) };
