import { counted } from '../core/counted.ts';
import type { Overload } from '../core/demand.ts';
import { configInvalid } from '../core/errors.ts';
import type { BridgeError } from '../core/errors.ts';
import { remedyOf } from '../core/refusal-remedies.ts';
import type { SourceConfig } from '../core/source/source.ts';
import { formatWindow } from '../core/window.ts';
import type { Window } from '../core/window.ts';
import type { FailedSensors } from '../pull/set-apart.ts';
import type { PlannedStream } from '../pull/sensors/stream-plan.ts';
import { failuresInWords, halvingsInWords, latenessFinding, mostFrequentFirst, refusalsInWords } from './findings.ts';
import type { Finding } from './findings.ts';
import { refusedByReason } from './look-at-streams.ts';
import type { LooksAtStreams } from './look-at-streams.ts';
import { othersInWords, ownerRemedy } from './take-over.ts';
import type { OwnedElsewhere } from './take-over.ts';

const STREAMS_SHOWN = 5;

interface Looked {
  readonly config: SourceConfig;
  readonly wanted: Window;
  readonly overload: Overload | undefined;
  /** How many streams the source has. */
  readonly streams: number;
  /** Something about names that are new in the project. */
  readonly names: string | undefined;
  readonly seriesOfOthers: readonly OwnedElsewhere[];
}

/** The result of reading a window of each stream. */
export interface WindowFinding {
  readonly ok: boolean;
  readonly detail: string;
  readonly warning?: true;
  readonly error?: BridgeError;
  /** The streams that were read, those that could not be read, and those that were left alone. */
  readonly streams: {
    readonly read: readonly string[];
    readonly unreadable: readonly string[];
    readonly left: readonly string[];
  };
}

/** Judges what was read of all streams that were looked at. It is not `ok` where a stream cannot be read, or a series has another owner. */
export function windowFinding({ looks, unreadable, left }: LooksAtStreams, given: Looked): WindowFinding {
  const { config, wanted, overload, names, seriesOfOthers } = given;
  const batches = looks.map(({ batch }) => batch);
  const readings = batches.reduce((sum, batch) => sum + batch.readings, 0);
  const series = batches.reduce((sum, { columns }) => sum + columns.length, 0);
  const refused = refusedByReason(batches);
  const [allRefused] = readings === 0 && seriesOfOthers.length === 0 ? mostFrequentFirst(refused) : [];
  const halvings = looks.reduce((sum, look) => sum + look.halvings, 0);
  const failed: FailedSensors = new Map(looks.flatMap((look) => [...look.failed]));
  const silent = looks.filter(({ batch }) => batch.readings === 0).map(({ stream }) => stream);
  const lateness = latenessOf({ looks }, config);
  const keys = firstOf(keysOf(looks.map(({ stream }) => stream)), STREAMS_SHOWN);
  const what = looks.length === given.streams ? keys : `${looks.length} of ${given.streams} streams (${keys})`;
  const window = looks.length === 1 ? (looks[0]?.window ?? wanted) : wanted;
  const parts = [
    `${counted(readings, 'reading')} of ${series} series of ${what} in ${formatWindow(window)}${halvingsInWords(halvings)}${failuresInWords(failed)}`,
    refusalsInWords(refused),
    ...seriesOfOthers.map(othersInWords),
    ...(allRefused === undefined ? [] : [`no point became a reading: ${remedyOf(allRefused, 'operator')}`]),
    lateness.detail,
    ...(silent.length > 0 && looks.length > 1 ? [`no readings in ${firstOf(keysOf(silent), STREAMS_SHOWN)}`] : []),
    ...(left.length > 0 ? [`not looked at: ${firstOf(keysOf(left), STREAMS_SHOWN)}`] : []),
    ...unreadable.map(({ stream, error }) => `cannot read ${stream.key}: ${error.message}`),
    ...(names === undefined ? [] : [names]),
    ...(overload === undefined ? [] : [`${overload.message}: ${overload.remedy}`]),
  ];
  const error = unreadable[0]?.error ?? othersError(config, seriesOfOthers);
  const odd = [allRefused, overload, names].some((one) => one !== undefined);
  const warning = lateness.warning || odd || failed.size > 0;
  return {
    ok: error === undefined,
    detail: parts.join('; '),
    ...(warning && error === undefined ? { warning } : {}),
    ...(error === undefined ? {} : { error }),
    streams: {
      read: keysOf(looks.map(({ stream }) => stream)),
      unreadable: keysOf(unreadable.map(({ stream }) => stream)),
      left: keysOf(left),
    },
  };
}

/** The operator alone can settle whose series these are, and until then all points of them are lost to this source. */
function othersError(config: SourceConfig, others: readonly OwnedElsewhere[]): BridgeError | undefined {
  if (others.length === 0) return undefined;
  return configInvalid(others.map(othersInWords).join('; '), ownerRemedy(config, ...others), 'sensors');
}

const keysOf = (streams: readonly PlannedStream[]): string[] => streams.map(({ key }) => key);

/** The first warning of a stream, or what the first stream with readings shows. */
function latenessOf({ looks }: Pick<LooksAtStreams, 'looks'>, { schedule }: SourceConfig): Finding {
  const findings = looks.map(({ batch, window }) => latenessFinding(batch, window, schedule.settle));
  const late = findings.findIndex(({ warning }) => warning);
  const shown = late === -1 ? looks.findIndex(({ batch }) => batch.readings > 0) : late;
  const { detail, warning } = findings[Math.max(0, shown)] ?? { detail: 'nothing was read', warning: false };
  return { detail: looks.length > 1 && late !== -1 ? `${looks[late]?.stream.key}: ${detail}` : detail, warning };
}

/** At most so many of the names. */
export function firstOf(names: readonly string[], most: number): string {
  const shown = names.slice(0, most).join(' ; ');
  return names.length > most ? `${shown} ; …` : shown;
}
