import { counted } from '../core/counted.ts';
import { asBridgeError } from '../core/errors.ts';
import type { BridgeError } from '../core/errors.ts';
import { overloadOf } from '../core/demand.ts';
import { formatDuration } from '../core/duration.ts';
import { MINUTE } from '../core/instant.ts';
import { isMapping } from '../core/source/path.ts';
import { edgeOf } from '../core/plan.ts';
import type { SourceConfig } from '../core/source/source.ts';
import { formatWindow } from '../core/window.ts';
import type { Platform } from '../platform/contract.ts';
import type { FailedSensors } from '../pull/set-apart.ts';
import { testDeclaration } from './declaration.ts';
import { clockFinding, latenessFinding, refusalsInWords } from './findings.ts';
import { strangeVariables } from './strange-variables.ts';
import { openTrial } from './trial.ts';
import type { Trial, TrialParts } from './trial.ts';

/**
 * The steps of a check, in this order. After a step that fails, the check tries no further step. `declaration` is for platforms that
 * the options of a source describe.
 */
const STEPS = ['schema', 'secrets', 'address', 'platform', 'clock', 'sensors', 'window', 'declaration'] as const;
export type StepName = (typeof STEPS)[number];

/** The result of one step. `ok` is null for a step that was not tried. */
export interface Step {
  readonly step: StepName;
  readonly ok: boolean | null;
  readonly detail: string;
  /** The step passed, but the operator should read `detail`. */
  readonly warning?: true;
  readonly error?: BridgeError;
}

/** Whether the operator accepted a source without a proof that its answers are complete (`declaredBy` in platform/contract.ts). */
const isUnproven = ({ options }: SourceConfig): boolean => isMapping(options) && options['unproven'] === 'accepted';

const SENSORS_SHOWN = 5;
const STREAMS_SHOWN = 5;

/**
 * Tries a source step by step within its pace, and saves nothing. Yields each step once, as soon as it is done; returns
 * the number of requests it sent.
 */
export async function* checkSource(
  config: SourceConfig,
  platform: Platform,
  given: TrialParts & { readonly maxReadings: number },
): AsyncGenerator<Step, { requests: number }> {
  const done = new Set<StepName>();
  const steps = STEPS.filter((step) => step !== 'declaration' || platform.declaredBy !== undefined);
  let trial: Trial | undefined;
  const passed = (step: StepName, detail: string, warning = false): Step => {
    done.add(step);
    return { step, ok: true, detail, ...(warning ? { warning } : {}) };
  };
  try {
    yield passed(
      'schema',
      `${platform.title}, ${config.kind}, every ${formatDuration(config.schedule.every)}${isUnproven(config) ? '; unproven: accepted' : ''}`,
    );
    trial = await openTrial(config, platform, given);
    yield passed('secrets', secretsInWords(config));

    const asked = given.now();
    const { product, clock } = await trial.identify();
    const answered = given.now();
    yield passed('address', `${config.connection['url']} answers`);
    yield passed('platform', `${product}; the credentials may read`);

    const skew = clockFinding(clock, { asked, answered, settle: config.schedule.settle });
    yield passed('clock', skew.detail, skew.warning);

    const doubts: string[] = [];
    const doubt = ({ message, remedy = '' }: { message: string; remedy?: string | undefined }): void => {
      doubts.push(`; ${message}: ${remedy}`);
    };
    const sensors = await trial.sensors(doubt);
    const strange = strangeVariables(config.sensors, sensors);
    if (strange !== undefined) doubt(strange);
    const streams = trial.streamsOf(sensors);
    if (sensors.length === 0) {
      yield passed('sensors', 'the platform shows none yet: check the options and the rights of the credentials', true);
    } else {
      const names = sensors.map(({ id, name }) => name ?? id);
      const keys = streams.map(({ key }) => key);
      yield passed(
        'sensors',
        `${sensors.length} found: ${firstOf(names, SENSORS_SHOWN)}; read in ${counted(streams.length, 'stream')}: ${firstOf(keys, STREAMS_SHOWN)}${doubts.join('')}`,
        doubts.length > 0,
      );
    }
    const [stream] = streams;
    if (stream === undefined) {
      for (const step of steps.slice(steps.indexOf('window')))
        yield { step, ok: null, detail: 'not tried: there is nothing to read' };
    } else {
      const to = edgeOf(trial.source.policy, given.now());
      const wanted = { from: to - Math.min(MINUTE, config.schedule.maxWindow), to };
      const before = trial.requests();
      const { window, batch, failed, halvings } = await trial.read(stream, wanted, 'newest', given.maxReadings);
      const requestsPerWindow = (trial.requests() - before) / (halvings + 1);
      const overload = overloadOf({ streams: streams.length, requestsPerWindow, ...config.schedule, ...config.pace });
      const lateness = latenessFinding(batch, window, config.schedule.settle);
      const read = `${counted(batch.readings, 'reading')} of ${batch.columns.length} series of ${stream.key} in ${formatWindow(window)}`;
      yield passed(
        'window',
        `${read}${halvingsInWords(halvings)}${failuresInWords(failed)}; ${refusalsInWords(batch.refused)}; ${lateness.detail}${overload === undefined ? '' : `; ${overload.message}: ${overload.remedy}`}`,
        lateness.warning || overload !== undefined || failed.size > 0,
      );
      if (platform.declaredBy !== undefined) {
        const { detail, warning } = await testDeclaration(trial, stream, given.maxReadings);
        yield passed('declaration', detail, warning);
      }
    }
  } catch (caught) {
    const error = asBridgeError(caught);
    const requests = trial?.requests() ?? 0;
    const open = steps.find((step) => !done.has(step)) ?? 'window';
    const failed = open === 'address' && isAnswered(error, requests) ? 'platform' : open;
    if (failed === 'platform') yield passed('address', `${config.connection['url']} answers`);
    yield { step: failed, ok: false, detail: error.message + refusedInWords(trial?.refusedRequests() ?? 0), error };
    for (const step of steps.slice(steps.indexOf(failed) + 1)) yield { step, ok: null, detail: 'not tried' };
  } finally {
    await trial?.close();
  }
  return { requests: trial?.requests() ?? 0 };
}

/** Whether the error proves that an HTTP server answered at the address: then the address is right. */
function isAnswered({ fault }: BridgeError, requests: number): boolean {
  if (requests === 0) return false;
  if (fault.code !== 'unavailable') return fault.code !== 'bug' && fault.code !== 'cancelled';
  if (fault.why === 'status') return true;
  return requests > 1 && (fault.why === 'time-out' || fault.why === 'reset');
}

function refusedInWords(requests: number): string {
  if (requests === 0) return '';
  const times = requests === 1 ? 'once' : `${requests} times`;
  return ` (refused ${times}; many platforms lock an account after a few, and each further check counts)`;
}

function halvingsInWords(halvings: number): string {
  if (halvings === 0) return '';
  return `, halved ${halvings === 1 ? 'once' : `${halvings} times`} because the window held too much`;
}

function failuresInWords(failed: FailedSensors): string {
  const [first] = failed;
  if (first === undefined) return '';
  const [sensor, { message }] = first;
  const others = failed.size === 1 ? '' : ` and ${failed.size - 1} more`;
  return `; cannot read ${sensor}${others}, which polls ask for apart from the other sensors: ${message}`;
}

function secretsInWords({ secrets }: SourceConfig): string {
  return secrets.length === 0 ? 'the source has none' : `found: ${secrets.join(', ')}`;
}

function firstOf(names: readonly string[], most: number): string {
  const shown = names.slice(0, most).join(' ; ');
  return names.length > most ? `${shown} ; …` : shown;
}
