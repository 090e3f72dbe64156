import type { Microseconds } from '../core/instant.ts';
import type { QualityTable } from '../core/quality.ts';
import type { Bound } from '../core/question.ts';

/**
 * The facts of the vendor's API as data, so that the bridge asks accordingly and the tests of every platform are generated
 * from them. The source of each fact stands in a comment beside it; a guess is marked as ours.
 */
export interface PlatformFacts {
  /**
   * Whether the points at the two ends of the asked time belong to the answer. The bridge asks one `resolution` earlier where
   * `from` is not inclusive, and drops the points beside its window, so `read` asks for the window that it is given.
   */
  readonly bounds: { readonly from: Bound; readonly to: Bound };
  /** The steps in which a question names instants; `read` is given windows of whole steps. At least a microsecond. */
  readonly resolution: Microseconds;
  /** The order of time in which an answer holds the points of one sensor; `none` where nothing promises one. */
  readonly order: 'ascending' | 'descending' | 'none';
  /**
   * `cap`: one answer holds at most this many points of a variable, unless the options say otherwise; `Infinity` where nothing
   * cuts it. `more`: how an answer that was cut shows it.
   *
   * | `more` | the answer |
   * |---|---|
   * | `cursor` | has a token for the next question |
   * | `link` | has the address of the next page |
   * | `offset` | is asked for by the number of points before it |
   * | `flag` | says that there is more, and not where |
   * | `full-page` | says nothing: it has as many points as the cap |
   * | `none` | is never cut |
   */
  readonly page: {
    readonly cap: number;
    readonly more: 'cursor' | 'link' | 'offset' | 'flag' | 'full-page' | 'none';
  };
  /** Whether a variable may have several points at one instant. */
  readonly sameInstant: 'one' | 'many';
  /**
   * How one bad sensor among many shows. `status`: its own request gets an error status. `inside-200`: the answer names it
   * beside the points of the others. `whole-batch`: none of the sensors asked for with it is answered.
   */
  readonly failsAs: 'status' | 'inside-200' | 'whole-batch';
  /**
   * What the qualities in `Samples` mean. Left out where the platform has none. Where it gives codes with many details, `read`
   * yields the part of them that says how good a value is, such as the two highest bits of an OPC status.
   */
  readonly quality?: QualityTable;
  /** The longest window that may be asked for; the question may be almost three `resolution` longer. An operator can choose a shorter one. */
  readonly maxWindow: Microseconds;
  /** The shortest window, at which halving ends: the resolution, or more where shorter windows do not help. */
  readonly minWindow: Microseconds;
  /** A stream lists at most this many sensors, of a group, too. `Infinity` where one request reads a group, or all sensors, whole. */
  readonly sensorsPerRead: number;
  /**
   * Whether `read` must name its variables. A variable found later then gets a stream of its own, so its past is read.
   */
  readonly namesVariables: boolean;
  /**
   * Whether the platform knows local times only: the time of a wall clock, without offset. `read` is then given a window of
   * local times, asks for it by `formatLocal`, and yields local times by `parseLocal` (both in core/instant.ts). The bridge
   * turns both into instants with the zone of the source; a window may come in several parts.
   */
  readonly localTime?: true;
  /** The default pace of a source. An operator can choose a lower or a higher one. */
  readonly pace: { readonly requestsPerSecond: number; readonly burst: number; readonly concurrency: number };
  /** How long a point usually takes until it can be read: the default of `schedule.settle`. */
  readonly lateness: Microseconds;
  /** How much of the covered time is asked again for late points: the default of `schedule.overlap`. */
  readonly overlap: Microseconds;
}
