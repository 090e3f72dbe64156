import { counted } from '../core/counted.ts';
import { BridgeError, contractBroken } from '../core/errors.ts';
import { HOUR, MINUTE } from '../core/instant.ts';
import { parsePath, isMapping, valueAt } from '../core/source/path.ts';
import type { SourceConfig } from '../core/source/source.ts';
import { edgeOf } from '../core/plan.ts';
import type { Credentials, Platform, Sensor } from '../platform/contract.ts';
import type { RecordedAnswer } from '../platform/connection/index.ts';
import { cassetteRedactor } from './cassette-redaction.ts';
import type { CassetteRedactor } from './cassette-redaction.ts';
import { openTrial } from './trial.ts';
import type { Trial, TrialParts } from './trial.ts';

/** A recorded case: the files of one folder, by their names. `test/conformance` plays it. */
export interface RecordedCase {
  readonly name: 'sensors' | 'read';
  readonly files: ReadonlyMap<string, string>;
  readonly answers: number;
  /** The points that an adapter makes of the answers, in words. */
  readonly result: string;
}

/** More would be hard to look through by hand. */
const MOST_READINGS = 5_000;

/**
 * Runs the steps of a check that a case can hold, the look for sensors and one window, and records the answers. The rules of the
 * source for names and values are left out, because a case shows the platform. Throws the errors of the platform before the
 * window; an error of the window is a case. Nothing secret is in the result, or it throws.
 */
export async function recordCases(
  config: SourceConfig,
  platform: Platform,
  given: TrialParts,
): Promise<{ readonly cases: readonly RecordedCase[]; readonly requests: number }> {
  const tape: (RecordedAnswer | undefined)[] = [];
  const tokens = new Set<string>();
  let credentials: Credentials = {};
  const recording: TrialParts = {
    ...given,
    tape: {
      credentials: (given) => (credentials = given),
      granted: ({ token, renewal, keep = {} }) => {
        for (const secret of [token, renewal, ...Object.values(keep)]) if (secret !== undefined) tokens.add(secret);
      },
      record() {
        const place = tape.push(undefined) - 1;
        return (answer) => (tape[place] = answer);
      },
    },
  };
  const trial = await openTrial(plainly(config), platform, recording);
  // An adapter may remember answers, so the window is read once more by a source that has asked for nothing yet.
  const fresh = await openTrial(plainly(config), platform, recording);
  const drafts: Draft[] = [];
  try {
    const { product } = await trial.identify();
    const about = { recorded: `${product}; recorded by databridge source record`, options: optionsOf(config) };
    tape.length = 0;
    const sensors = await trial.sensors();
    if (config.sensors === 'all') drafts.push(sensorsDraft(about, sensors, [...tape]));
    const [stream] = trial.streamsOf(sensors);
    if (stream !== undefined) drafts.push(await readDraft(trial, fresh, stream, { about, tape, now: given.now }));
  } finally {
    await Promise.all([trial.close(), fresh.close()]);
  }
  const secretOptions = config.secrets.flatMap((path) => {
    const value = path.startsWith('options') ? valueAt({ options: trial.source.options }, parsePath(path) ?? []) : '';
    return typeof value === 'string' && value !== '' ? [value] : [];
  });
  const redactor = cassetteRedactor(credentials, [...tokens, ...secretOptions]);
  return { cases: drafts.map((draft) => caseOf(draft, redactor)), requests: trial.requests() + fresh.requests() };
}

interface Draft extends Pick<RecordedCase, 'name' | 'result'> {
  readonly given: Readonly<Record<string, unknown>>;
  readonly expected: unknown;
  readonly tape: readonly (RecordedAnswer | undefined)[];
}

interface About {
  readonly recorded: string;
  readonly options: unknown;
}

/** The source with the names and values of its platform. */
const plainly = (config: SourceConfig): SourceConfig => ({
  ...config,
  sensors:
    config.sensors === 'all'
      ? 'all'
      : config.sensors.map(({ id, group }) => ({ id, ...(group !== undefined && { group }) })),
  mapping: { ...config.mapping, booleans: 'refuse', bad: 'refuse', labels: [] },
});

/** The options as the operator wrote them, without secrets. */
function optionsOf({ raw, secrets }: SourceConfig): unknown {
  const options: unknown = structuredClone(isMapping(raw) ? (raw['options'] ?? {}) : {});
  for (const secret of secrets) {
    const [block, ...path] = parsePath(secret) ?? [];
    const key = path.pop();
    const holder = block === 'options' ? valueAt(options, path) : undefined;
    if (key !== undefined && typeof holder === 'object' && holder !== null)
      (holder as Record<string | number, unknown>)[key] = 'redacted-option';
  }
  return options;
}

const sensorsDraft = (about: About, sensors: readonly Sensor[], tape: Draft['tape']): Draft => ({
  name: 'sensors',
  given: { ...about, operation: 'sensors' },
  expected: { sensors },
  result: counted(sensors.length, 'sensor'),
  tape,
});

async function readDraft(
  trial: Trial,
  fresh: Trial,
  stream: ReturnType<Trial['streamsOf']>[number],
  given: { readonly about: About; readonly tape: (RecordedAnswer | undefined)[]; readonly now: TrialParts['now'] },
): Promise<Draft> {
  const { about, tape, now } = given;
  const edge = edgeOf(trial.source.policy, now());
  const longest = trial.source.policy.maxWindow;
  let window = { from: edge - Math.min(MINUTE, longest), to: edge };
  const { group, sensors, variables } = stream.selection;
  const draftOf = (expected: unknown, result: string): Draft => ({
    name: 'read',
    given: { ...about, operation: 'read', group, sensors, variables, ...window },
    expected,
    result,
    tape: [...tape],
  });
  try {
    for (const length of [MINUTE, HOUR].filter((one) => one <= longest || one === MINUTE)) {
      window = { from: edge - Math.min(length, longest), to: edge };
      const read = await trial.read(stream, window, 'newest', MOST_READINGS);
      window = read.window;
      if (read.batch.readings > 0) break;
    }
  } catch (error) {
    if (!isOfPlatform(error)) throw error;
  }
  try {
    tape.length = 0;
    const { batch, failed } = await fresh.read(stream, window, 'newest', MOST_READINGS);
    const [failure] = failed.values();
    if (failure !== undefined) return draftOf({ error: { code: failure.code } }, `the error ${failure.code}`);
    const rows = batch.columns.flatMap(({ sensorId, valueName, segments }) =>
      segments.flatMap(({ at, value }) => at.map((instant, index) => [sensorId, valueName, instant, value[index]])),
    );
    const readings = rows.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
    return draftOf({ readings, refused: Object.fromEntries(batch.refused) }, counted(rows.length, 'reading'));
  } catch (error) {
    if (!isOfPlatform(error)) throw error;
    return draftOf({ error: { code: error.code } }, `the error ${error.code}`);
  }
}

/** Whether an error is an answer of the platform that a case can hold. */
const isOfPlatform = (error: unknown): error is BridgeError =>
  error instanceof BridgeError && error.code !== 'cancelled' && error.code !== 'bug';

/** Writes the files of a case, and looks once more for anything that must not be in them. */
function caseOf({ name, given, expected, result, tape }: Draft, redactor: CassetteRedactor): RecordedCase {
  const answers = tape.filter((answer) => answer !== undefined);
  const listed: unknown[] = [];
  const files = new Map<string, string>();
  for (const [index, { status, bytes, headers }] of answers.entries()) {
    const body = redactor.redact(bytes.toString('utf8'));
    const file = `answer-${index + 1}.${isJson(body) ? 'json' : 'txt'}`;
    files.set(file, body);
    const hasHeaders = Object.keys(headers).length > 0;
    listed.push(status === 200 && !hasHeaders ? file : { file, status, ...(hasHeaders && { headers }) });
  }
  const text = (value: unknown): string => `${redactor.redact(JSON.stringify(value, undefined, 2))}\n`;
  files.set('case.json', text({ ...given, answers: listed }));
  files.set('expected.json', text(expected));
  for (const [file, content] of files) {
    if (redactor.leaks(content))
      throw contractBroken(`${name}/${file} would still hold a secret or a host; nothing was written`, '');
  }
  return { name, files, answers: answers.length, result };
}

const isJson = (body: string): boolean => /^\s*[[{]/.test(body);
