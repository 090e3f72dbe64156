import { setTimeout } from 'node:timers/promises';
import { asBridgeError } from '../../core/errors.ts';
import type { BridgeError } from '../../core/errors.ts';
import { MINUTE } from '../../core/instant.ts';
import type { Instant, Microseconds } from '../../core/instant.ts';
import type { Http } from '../../platform/contract.ts';
import type { Bridge } from '../bridge.ts';
import { pause } from '../../pace/pause.ts';

/** A longer silence ends the look; it begins again after that. */
const LONGEST_WAIT: Microseconds = MINUTE;

/** After this many refusals in a row of one request the platform is left alone. */
const MOST_REFUSALS = 5;

/**
 * An http that sends a request again after the silence that the platform or the pace asks for, instead of failing. A look for
 * sensors is one long walk: it would begin again, and a quota smaller than the walk would never let it end.
 */
export function patientHttp(
  http: Http,
  { now, signal, place }: { now: () => Instant; signal: AbortSignal } & Pick<Bridge, 'place'>,
): Http {
  const send = http.defaults.adapter;
  if (typeof send !== 'function') return http;
  http.defaults.adapter = async (config) => {
    for (let refusals = 0; ;) {
      try {
        return await send(config);
      } catch (caught) {
        const error = asBridgeError(caught);
        if (!isBrief(error, now()) || (refusals += error.fault.own ? 0 : 1) > MOST_REFUSALS) throw error;
        const silence = pause(setTimeout, error.fault.retryAt - now(), signal);
        await (place?.waitFor(silence) ?? silence);
      }
    }
  };
  return http;
}

type Throttled = BridgeError & { readonly fault: { code: 'throttled' } };

const isBrief = (error: BridgeError, now: Instant): error is Throttled =>
  error.fault.code === 'throttled' && error.fault.retryAt - now <= LONGEST_WAIT;
