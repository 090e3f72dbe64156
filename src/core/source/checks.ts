import { formatDuration } from '../duration.ts';
import { formatInstant } from '../instant.ts';
import type { Instant, Microseconds } from '../instant.ts';
import { toValueName } from '../naming.ts';
import { nextAllowed } from '../quiet-hours.ts';
import type { QuietHours } from '../quiet-hours.ts';
import type { Start } from './fields.ts';
import { formatPath, valueAt } from './path.ts';
import type { SourceProblem } from './problems.ts';
import type { SensorChoice } from './schema.ts';

/** The facts of a platform that a source is checked against. Lengths in µs. */
export interface SourceFacts {
  readonly maxWindow: Microseconds;
  readonly minWindow: Microseconds;
  readonly pace: { readonly requestsPerSecond: number; readonly burst: number; readonly concurrency: number };
  readonly lateness: Microseconds;
  readonly overlap: Microseconds;
  readonly localTime?: true;
}

/** The fields that are checked together, with their defaults. */
interface Checked {
  readonly schedule: { readonly start: Start } & Readonly<Record<'overlap' | 'maxWindow' | 'align', Microseconds>>;
  readonly pace: { readonly quietHours: readonly QuietHours[] };
  readonly sensors: 'all' | readonly SensorChoice[];
  readonly mapping: { readonly timezone?: string };
}

/** 2026-01-01. Quiet hours that leave no time leave none in any year. */
const ANY_INSTANT: Instant = 1_767_225_600_000_000;

/** The problems of fields that do not go together. Without `now`, a start in the future is not a problem. */
export function crossFieldProblems(
  source: Checked,
  given: {
    readonly raw: unknown;
    readonly title: string;
    readonly facts: SourceFacts;
    readonly now: Instant | undefined;
  },
): readonly SourceProblem[] {
  const { quietHours } = source.pace;
  const alwaysQuiet: SourceProblem = {
    path: 'pace.quietHours',
    message: 'leave no time in which the platform may be asked',
    remedy: 'shorten one of them, or pause the source instead',
  };
  return [
    ...checkSchedule(source.schedule, given),
    ...(nextAllowed(quietHours, given.now ?? ANY_INSTANT) === undefined ? [alwaysQuiet] : []),
    ...checkSensors(source.sensors),
    ...checkTimezone(source.mapping, given),
  ];
}

function checkTimezone(
  mapping: Checked['mapping'],
  { raw, title, facts, now }: Parameters<typeof crossFieldProblems>[1],
): readonly SourceProblem[] {
  if (facts.localTime) {
    if (mapping.timezone !== undefined) return [];
    const message = `is missing: ${title} gives local times without a zone`;
    return [
      { path: 'mapping.timezone', message, remedy: 'add the zone of its wall clock, like timezone: Europe/Berlin' },
    ];
  }
  // A source that was registered before this was checked goes on as it did.
  if (now === undefined) return [];
  return ['timezone', 'dst']
    .filter((key) => valueAt(raw, ['mapping', key]) !== undefined)
    .map((key) => ({
      path: `mapping.${key}`,
      message: `has no effect: ${title} gives instants, not local times`,
      remedy: 'take it out',
    }));
}

function checkSchedule(
  schedule: Checked['schedule'],
  { raw, title, facts, now }: Parameters<typeof crossFieldProblems>[1],
): readonly SourceProblem[] {
  const problems: SourceProblem[] = [];
  const { overlap, maxWindow, align, start } = schedule;
  const add = (key: string, message: string, remedy: string): void => {
    problems.push({ path: `schedule.${key}`, message, remedy });
  };
  const longest = formatDuration(facts.maxWindow);
  const shortest = formatDuration(facts.minWindow);
  if (maxWindow > facts.maxWindow)
    add(
      'maxWindow',
      `${formatDuration(maxWindow)} is longer than the longest window of ${title}`,
      `use ${longest} or shorter`,
    );
  else if (maxWindow < facts.minWindow)
    add(
      'maxWindow',
      `${formatDuration(maxWindow)} is shorter than the shortest window of ${title}`,
      `use ${shortest} or longer`,
    );
  else if (maxWindow < overlap) {
    // The problem is told about the field the operator wrote, not about a default.
    if (valueAt(raw, ['schedule', 'maxWindow']) === undefined)
      add(
        'overlap',
        `${formatDuration(overlap)} is longer than a window`,
        `use ${formatDuration(maxWindow)} or shorter, or a longer maxWindow`,
      );
    else
      add(
        'maxWindow',
        `${formatDuration(maxWindow)} is shorter than the overlap`,
        `use ${formatDuration(overlap)} or longer, or a shorter overlap`,
      );
  } else if (maxWindow < align)
    add('align', `${formatDuration(align)} is longer than a window`, `use ${formatDuration(maxWindow)} or shorter`);
  if ('at' in start && now !== undefined && start.at > now)
    add(
      'start',
      `${formatInstant(start.at)} is in the future`,
      'use an instant that has passed, or leave it out to begin now',
    );
  return problems;
}

function checkSensors(sensors: Checked['sensors']): readonly SourceProblem[] {
  if (sensors === 'all') return [];
  const problems: SourceProblem[] = [];
  const ids = new Map<string, number>();
  const names = new Map<string, { readonly index: number; readonly hasValues: boolean }>();
  const series = new Map<string, string>();
  for (const [index, sensor] of sensors.entries()) {
    const name = sensor.as ?? sensor.id;
    const [sameId, sameName] = [ids.get(sensor.id), names.get(name)];
    const path = `sensors[${index}]`;
    if (name.length > 256)
      problems.push({
        path: `${path}.id`,
        message: 'is too long for a sensorId',
        remedy: 'give it an "as" of at most 256 characters',
      });
    if (sameId !== undefined)
      problems.push({
        path: `${path}.id`,
        message: `${JSON.stringify(sensor.id)} is listed twice`,
        remedy: `take it out here or at sensors[${sameId}]`,
      });
    else if (sameName !== undefined && !(sameName.hasValues && sensor.values !== undefined))
      problems.push({
        path: `${path}.${sensor.as === undefined ? 'id' : 'as'}`,
        message: `${JSON.stringify(name)} is also the sensorId of sensors[${sameName.index}]`,
        remedy: 'give one of them another "as", or name the values of each',
      });
    ids.set(sensor.id, sameId ?? index);
    names.set(name, sameName ?? { index, hasValues: sensor.values !== undefined });
    problems.push(...checkValues(sensor, index, series));
  }
  return problems;
}

/** `series`: the names of the sensors before, with the paths that give them. */
function checkValues(sensor: SensorChoice, index: number, series: Map<string, string>): readonly SourceProblem[] {
  const { values = {} } = sensor;
  const problems: SourceProblem[] = [];
  const variablesOf = new Map<string, string[]>();
  for (const [variable, choice] of Object.entries(values)) {
    const path = formatPath(['sensors', index, 'values', variable]);
    const name = choice.as ?? toValueName(variable);
    if (name === undefined)
      problems.push({
        path,
        message: 'is too long for a valueName',
        remedy: 'give it an "as" of at most 128 letters, digits and "_"',
      });
    else variablesOf.set(name, [...(variablesOf.get(name) ?? []), variable]);
  }
  for (const [name, [first, ...others]] of variablesOf) {
    const path = formatPath(['sensors', index, 'values', first ?? '']);
    const key = JSON.stringify([sensor.as ?? sensor.id, name]);
    const before = series.get(key);
    if (before !== undefined)
      problems.push({
        path,
        message: `becomes the valueName ${JSON.stringify(name)} of the same sensorId as ${before}`,
        remedy: 'give one of them another "as"',
      });
    series.set(key, before ?? path);
    for (const variable of others)
      problems.push({
        path: formatPath(['sensors', index, 'values', variable]),
        message: `becomes the valueName ${JSON.stringify(name)}, as ${JSON.stringify(first)} does`,
        remedy: 'give one of them another "as"',
      });
  }
  return problems;
}
