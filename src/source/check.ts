import { counted } from '../core/counted.ts';
import { asBridgeError } from '../core/errors.ts';
import type { BridgeError } from '../core/errors.ts';
import { overloadOf } from '../core/demand.ts';
import { formatDuration } from '../core/duration.ts';
import { MINUTE } from '../core/instant.ts';
import { referenceText, referencesIn } from '../core/source/reference.ts';
import { isMapping } from '../core/source/path.ts';
import { edgeOf } from '../core/plan.ts';
import type { SourceConfig } from '../core/source/source.ts';
import type { KindName, Platform } from '../platform/contract.ts';
import { readWhen } from '../pull/open/reference-remedy.ts';
import { judgeAdapter } from './adapter-check.ts';
import { testDeclaration } from './declaration.ts';
import { firstOf, windowFinding } from './check-window.ts';
import type { WindowFinding } from './check-window.ts';
import { clockFinding, lockFinding } from './findings.ts';
import { lookAtStreams } from './look-at-streams.ts';
import { newNamesInWords } from './near-series.ts';
import { registeredAs } from './registered.ts';
import type { RegisteredSource } from './registered.ts';
import { strangeVariables } from './strange-variables.ts';
import { openTrial } from './trial.ts';
import type { Trial, TrialParts } from './trial.ts';

/**
 * The steps of a check, in this order. After a step that fails, the check tries no further step. `declaration` is for platforms that
 * the options of a source describe, `adapter` for those that are no part of this build.
 */
const STEPS = [
  'schema',
  'secrets',
  'address',
  'platform',
  'clock',
  'sensors',
  'window',
  'declaration',
  'adapter',
] as const;
export type StepName = (typeof STEPS)[number];

/** The result of one step. `ok` is null for a step that was not tried. */
export interface Step {
  readonly step: StepName;
  readonly ok: boolean | null;
  readonly detail: string;
  /** The step passed, but the operator should read `detail`. */
  readonly warning?: true;
  readonly error?: BridgeError;
  /** Of the step `window`. */
  readonly streams?: WindowFinding['streams'];
}

/** Whether the operator accepted a source without a proof that its answers are complete (`declaredBy` in platform/contract.ts). */
const isUnproven = ({ options }: SourceConfig): boolean => isMapping(options) && options['unproven'] === 'accepted';

const SENSORS_SHOWN = 5;
const STREAMS_SHOWN = 5;

/** How a check asked. */
export interface Checked {
  readonly requests: number;
  /** Whether it took turns with the workers of the source. */
  readonly sharesPace: boolean;
  /** The limit that it kept. */
  readonly requestsPerSecond: number;
}

/**
 * Tries a source step by step within its pace, and saves nothing. Yields each step once, as soon as it is done; returns
 * the number of requests it sent, and the pace.
 */
export async function* checkSource(
  config: SourceConfig,
  platform: Platform,
  given: TrialParts & { readonly maxReadings: number },
): AsyncGenerator<Step, Checked> {
  const done = new Set<StepName>();
  const kept = { declaration: platform.declaredBy !== undefined, adapter: config.adapter !== undefined };
  const steps = STEPS.filter((step) => (step === 'declaration' || step === 'adapter' ? kept[step] : true));
  let trial: Trial | undefined;
  let registered: RegisteredSource | undefined;
  const checked = (): Checked => ({
    requests: trial?.requests() ?? 0,
    sharesPace: registered !== undefined,
    requestsPerSecond: (trial?.sharing.pace ?? config.pace).requestsPerSecond,
  });
  const passed = (step: StepName, detail: string, warning = false): Step => {
    done.add(step);
    return { step, ok: true, detail, ...(warning ? { warning } : {}) };
  };
  try {
    registered = given.bridge && (await registeredAs(given.bridge, config));
    yield passed(
      'schema',
      `${platform.title}, ${config.kind}, every ${formatDuration(config.schedule.every)}${isUnproven(config) ? '; unproven: accepted' : ''}${stateInWords(registered)}`,
      registered !== undefined && registered.state !== 'active',
    );
    trial = await openTrial(config, platform, given);
    const told = [
      otherCredentialsInWords(trial, config),
      lockFinding(config, trial.source.platform.kinds[config.kind as KindName]),
    ].filter((one) => one !== undefined);
    yield passed('secrets', [secretsInWords(config), ...told].join('; '), told.length > 0);

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
    const [first] = streams;
    if (first === undefined) {
      for (const step of steps.slice(steps.indexOf('window')))
        yield { step, ok: null, detail: 'not tried: there is nothing to read' };
    } else {
      const to = edgeOf(trial.source.policy, given.now());
      const wanted = { from: to - Math.min(MINUTE, config.schedule.maxWindow), to };
      const before = trial.requests();
      const looked = await lookAtStreams(trial, streams, { ...given, window: wanted, keep: 'newest' });
      const windows = looked.looks.reduce((sum, { asked }) => sum + asked, looked.unreadable.length);
      const requestsPerWindow = (trial.requests() - before) / windows;
      const overload = overloadOf({ streams: streams.length, requestsPerWindow, ...config.schedule, ...config.pace });
      const names = newNamesInWords(await trial.newNames());
      const seriesOfOthers = trial.seriesOfOthers();
      yield {
        step: 'window',
        ...windowFinding(looked, { config, wanted, overload, names, seriesOfOthers, streams: streams.length }),
      };
      done.add('window');
      if (looked.unreadable.length > 0 || seriesOfOthers.length > 0) {
        for (const step of steps.slice(steps.indexOf('window') + 1)) yield { step, ok: null, detail: 'not tried' };
        return checked();
      }
      if (platform.declaredBy !== undefined) {
        const { detail, warning } = await testDeclaration(trial, first, given.maxReadings);
        yield passed('declaration', detail, warning);
      }
      if (kept.adapter) yield passed('adapter', await judgeAdapter(trial.source, first.selection, given.signal));
    }
  } catch (caught) {
    const error = asBridgeError(caught);
    const requests = trial?.requests() ?? 0;
    const open = steps.find((step) => !done.has(step)) ?? 'window';
    const failed = open === 'address' && isAnswered(error, requests) ? 'platform' : open;
    if (failed === 'platform') yield passed('address', `${config.connection['url']} answers`);
    yield {
      step: failed,
      ok: false,
      detail: error.message + refusedInWords(trial?.refusedRequests() ?? 0, given.bridge !== undefined),
      error,
    };
    for (const step of steps.slice(steps.indexOf(failed) + 1)) yield { step, ok: null, detail: 'not tried' };
  } finally {
    await trial?.close();
  }
  return checked();
}

/** Whether the error proves that an HTTP server answered at the address: then the address is right. */
function isAnswered({ fault }: BridgeError, requests: number): boolean {
  if (requests === 0) return false;
  if (fault.code !== 'unavailable') return fault.code !== 'bug' && fault.code !== 'cancelled';
  if (fault.why === 'status') return true;
  return requests > 1 && (fault.why === 'time-out' || fault.why === 'reset');
}

/** `shared`: the workers know of it, so that neither they nor a further check send the credentials again. */
function refusedInWords(requests: number, shared: boolean): string {
  if (requests === 0) return '';
  const times = requests === 1 ? 'once' : `${requests} times`;
  const further = shared ? 'these credentials are not sent again' : 'each further check counts';
  return ` (refused ${times}; many platforms lock an account after a few, and ${further})`;
}

/** How the source of a file stands on the bridge. */
function stateInWords(registered: RegisteredSource | undefined): string {
  if (registered === undefined || registered.state === 'active') return '';
  if (registered.state === 'paused')
    return '; the source is paused: nothing polls it, and this check asks all the same';
  const why = registered.fault === undefined ? '' : ` (${registered.fault})`;
  return `; the source is stopped${why}: nothing polls it, and this check asks all the same`;
}

/** Tells that the workers use other credentials although the registered source says the same: a reference leads elsewhere here. */
function otherCredentialsInWords({ sharing, asWorkers }: Trial, config: SourceConfig): string | undefined {
  const { registered } = sharing;
  const written = JSON.stringify(config.connection);
  if (asWorkers !== false || registered === undefined || JSON.stringify(registered.config.connection) !== written)
    return undefined;
  const fields = referencesIn('connection', config.connection).map(
    (field) => `${field.path} is ${referenceText(field.reference)}, ${readWhen(field)}`,
  );
  if (fields.length === 0) return undefined;
  return `the workers of the source last used other credentials than this check: ${fields.join('; ')}`;
}

function secretsInWords({ secrets }: SourceConfig): string {
  return secrets.length === 0 ? 'the source has none' : `found: ${secrets.join(', ')}`;
}
