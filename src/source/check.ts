import { asBridgeError } from '../core/errors.ts';
import type { BridgeError } from '../core/errors.ts';
import { formatDuration } from '../core/duration.ts';
import { MINUTE } from '../core/instant.ts';
import type { Instant } from '../core/instant.ts';
import { edgeOf } from '../core/plan.ts';
import type { SourceConfig } from '../core/source/source.ts';
import { formatWindow } from '../core/window.ts';
import type { Platform } from '../platform/contract.ts';
import { clockFinding, latenessFinding, refusalsInWords } from './findings.ts';
import { openTrial } from './trial.ts';
import type { Trial } from './trial.ts';

/** What a check tries, in this order; after one that fails the rest is not tried. */
const STEPS = ['schema', 'secrets', 'address', 'platform', 'clock', 'sensors', 'window'] as const;
export type StepName = (typeof STEPS)[number];

/** What came of one step. `ok` is null where it was not tried. */
export interface Step {
  readonly step: StepName;
  readonly ok: boolean | null;
  readonly detail: string;
  /** Fine, but somebody should look at it. */
  readonly warning?: true;
  readonly error?: BridgeError;
}

const SENSORS_SHOWN = 5;
const STREAMS_SHOWN = 5;

/**
 * Tries a source step by step, as politely as polls do, and saves nothing. The steps come as they happen; every step
 * comes once. `requests` tells afterwards what it has cost.
 */
export async function* checkSource(
  config: SourceConfig,
  platform: Platform,
  given: { readonly now: () => Instant; readonly signal: AbortSignal; readonly maxReadings: number },
): AsyncGenerator<Step, { requests: number }> {
  const done = new Set<StepName>();
  let trial: Trial | undefined;
  const passed = (step: StepName, detail: string, warning = false): Step => {
    done.add(step);
    return { step, ok: true, detail, ...(warning ? { warning } : {}) };
  };
  try {
    yield passed('schema', `${platform.title}, ${config.kind}, every ${formatDuration(config.schedule.every)}`);
    trial = await openTrial(config, platform, given);
    yield passed('secrets', secretsInWords(config));

    const asked = given.now();
    const { product, clock } = await trial.identify();
    const answered = given.now();
    yield passed('address', `${config.connection['url']} answers`);
    yield passed('platform', `${product}; the credentials may read`);

    const skew = clockFinding(clock, { asked, answered, settle: config.schedule.settle });
    yield passed('clock', skew.detail, skew.warning);

    const sensors = await trial.sensors();
    const streams = trial.streamsOf(sensors);
    if (sensors.length === 0) {
      yield passed('sensors', 'there are none yet: check the options, and what the credentials may see', true);
    } else {
      const names = sensors.map(({ id, name }) => name ?? id);
      const keys = streams.map(({ key }) => key);
      yield passed(
        'sensors',
        `${sensors.length} found: ${some(names, SENSORS_SHOWN)}; read in ${streams.length} ${streams.length === 1 ? 'stream' : 'streams'}: ${some(keys, STREAMS_SHOWN)}`,
      );
    }
    const [stream] = streams;
    if (stream === undefined) yield { step: 'window', ok: null, detail: 'not tried: there is nothing to read' };
    else {
      const to = edgeOf(trial.source.policy, given.now());
      const wanted = { from: to - Math.min(MINUTE, config.schedule.maxWindow), to };
      const { window, batch, halvings } = await trial.read(stream, wanted, 'newest', given.maxReadings);
      const lateness = latenessFinding(batch, window, config.schedule.settle);
      const read = `${batch.readings} readings of ${batch.columns.length} series of ${stream.key} in ${formatWindow(window)}`;
      const halved =
        halvings === 0 ? '' : `, halved ${halvings === 1 ? 'once' : `${halvings} times`} because it was too much`;
      yield passed(
        'window',
        `${read}${halved}; ${refusalsInWords(batch.refused)}; ${lateness.detail}`,
        lateness.warning,
      );
    }
  } catch (caught) {
    const error = asBridgeError(caught);
    const requests = trial?.requests() ?? 0;
    const failed = STEPS.find((step) => !done.has(step)) ?? 'window';
    const culprit = failed === 'address' && isAnswered(error, requests) ? 'platform' : failed;
    if (culprit === 'platform') yield passed('address', `${config.connection['url']} answers`);
    yield { step: culprit, ok: false, detail: error.message, error };
    for (const step of STEPS.slice(STEPS.indexOf(culprit) + 1)) yield { step, ok: null, detail: 'not tried' };
  } finally {
    await trial?.close();
  }
  return { requests: trial?.requests() ?? 0 };
}

/** Whether something that speaks http was there, whatever it said. */
function isAnswered({ fault }: BridgeError, requests: number): boolean {
  if (requests === 0) return false;
  if (fault.code !== 'unavailable') return fault.code !== 'bug' && fault.code !== 'cancelled';
  if (fault.why === 'status') return true;
  return requests > 1 && (fault.why === 'time-out' || fault.why === 'reset');
}

function secretsInWords({ secrets }: SourceConfig): string {
  return secrets.length === 0 ? 'there are none' : `found: ${secrets.join(', ')}`;
}

function some(names: readonly string[], most: number): string {
  const shown = names.slice(0, most).join(' ; ');
  return names.length > most ? `${shown} ; …` : shown;
}
