import { BridgeError } from '../../../src/core/errors.ts';
import type { Window } from '../../../src/core/window.ts';
import type { FailedSensor, Http, Samples, Selection } from '../../../src/platform/contract.ts';
import type { HttpJsonSettings } from './options.ts';
import { pagesOf } from './pages.ts';
import type { WindowQuestion } from './pages.ts';
import { sensors as allSensors } from './sensors.ts';

/** The points of one window, in requests for as many sensors as one may name. */
export async function* read(
  http: Http,
  options: HttpJsonSettings,
  selection: Selection,
  window: Window,
): AsyncGenerator<Samples | FailedSensor> {
  const named = selection.sensors ?? (await idsOf(http, options));
  const { perRequest } = options.sensors;
  for (let begin = 0; begin < named.length; begin += perRequest) {
    const sensors = named.slice(begin, begin + perRequest);
    yield* readTogether({ http, options, sensors, window }, { named: sensors.length, failed: 0, read: 0 });
  }
}

/** After this many bad sensors and no good one, the platform is at fault and not the sensors. */
const MOST_FAILURES = 3;

/**
 * Sensors of one request. Where the platform refuses all of them for one, they are asked for in halves until the bad ones are
 * alone.
 */
async function* readTogether(
  question: WindowQuestion,
  sofar: { readonly named: number; failed: number; read: number },
): AsyncGenerator<Samples | FailedSensor> {
  const { options, sensors } = question;
  try {
    yield* pagesOf({ ...question, edges: new Map() });
    sofar.read += sensors.length;
  } catch (error) {
    const isOfSensor = error instanceof BridgeError && error.code === 'contract-broken';
    const [only] = sensors;
    if (!isOfSensor || options.exactness.failsAs !== 'whole-batch' || only === undefined || sofar.named === 1)
      throw error;
    if (sensors.length > 1) {
      const middle = Math.ceil(sensors.length / 2);
      const first = { ...question, sensors: sensors.slice(0, middle) };
      yield* readTogether(first, sofar);
      yield* readTogether({ ...question, sensors: sensors.slice(middle) }, sofar);
      return;
    }
    sofar.failed += 1;
    if (sofar.failed >= MOST_FAILURES && sofar.read === 0) throw error;
    yield { sensor: only, failed: error };
  }
}

async function idsOf(http: Http, options: HttpJsonSettings): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of allSensors(http, options)) ids.push(id);
  return ids;
}
