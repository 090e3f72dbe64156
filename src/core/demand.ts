import { counted } from './counted.ts';
import { formatDuration } from './duration.ts';
import { HOUR, MILLISECOND, MINUTE, SECOND } from './instant.ts';
import type { Microseconds } from './instant.ts';

/** The requests that the live polls of a source need, and those that its pace allows. */
export interface Demand {
  readonly streams: number;
  /** Requests that one window of a stream takes, on average. */
  readonly requestsPerWindow: number;
  /** How long the platform works on one window, on average; undefined where that was not measured. */
  readonly timePerWindow?: Microseconds | undefined;
  readonly every: Microseconds;
  readonly requestsPerSecond: number;
  readonly concurrency: number;
}

/** A source whose live polls need more than its pace allows, in an operator's words. */
export interface Overload {
  /** How many times the pace would be needed. */
  readonly times: number;
  readonly message: string;
  readonly remedy: string;
}

/**
 * Undefined where the pace suffices for live polls. Live goes first (law 4), so history gets what live leaves: nothing in an
 * overload.
 */
export function overloadOf(demand: Demand): Overload | undefined {
  const tooFast = overloadOfRate(demand);
  const tooSlow = overloadOfPlaces(demand);
  return (tooSlow?.times ?? 0) > (tooFast?.times ?? 0) ? tooSlow : tooFast;
}

function overloadOfRate(demand: Demand): Overload | undefined {
  const { streams, requestsPerWindow, every, requestsPerSecond } = demand;
  const needed = (streams * requestsPerWindow) / (every / SECOND);
  const times = needed / requestsPerSecond;
  if (!(times > 1)) return undefined;
  return {
    times,
    message:
      `live polls need ${short(times)} times the requests that the pace allows: ${many(streams)} × ${short(requestsPerWindow)} ${requestsPerWindow === 1 ? 'request' : 'requests'} every ` +
      `${formatDuration(every)} are ${short(needed)} a second, and pace.requestsPerSecond is ${short(requestsPerSecond)}; ${effectOf(demand, times)}`,
    remedy: remedyOf(`raise pace.requestsPerSecond to ${short(needed * ROOM)}`, demand, times),
  };
}

function overloadOfPlaces(demand: Demand): Overload | undefined {
  const { streams, timePerWindow = 0, every, concurrency } = demand;
  const needed = (streams * timePerWindow) / every;
  const times = needed / concurrency;
  if (!(times > 1)) return undefined;
  return {
    times,
    message:
      `live polls need ${short(needed)} requests at a time: the platform takes ${formatDuration(upTo(timePerWindow))} for each window of ${many(streams)} ` +
      `every ${formatDuration(every)}, and pace.concurrency is ${concurrency}; ${effectOf(demand, times)}`,
    remedy: remedyOf(`raise pace.concurrency to ${Math.ceil(needed * ROOM)}`, demand, times),
  };
}

const effectOf = ({ every }: Demand, times: number): string =>
  `a round takes ${formatDuration(upTo(every * times))} instead of ${formatDuration(every)}, so live falls behind, and history and backfills get nothing`;

/** The remedy leaves a sixth of the pace to history. */
const ROOM = 1.2;

const remedyOf = (raise: string, { every }: Demand, times: number): string =>
  `choose fewer sensors, poll every ${formatDuration(upTo(every * times * ROOM))} or less often, or ${raise} if the platform bears it`;

const many = (streams: number): string => counted(streams, 'stream');

/** Rounded up, so that it is short to read. */
function upTo(length: Microseconds): Microseconds {
  const unit = length > HOUR ? MINUTE : length > 10 * SECOND ? SECOND : MILLISECOND;
  return Math.ceil(length / unit) * unit;
}

/** Two significant digits at least, without an exponent. */
const short = (value: number): string => String(value >= 10 ? Math.ceil(value) : Number(value.toPrecision(2)));
