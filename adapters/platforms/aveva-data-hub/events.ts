import { z } from 'zod';
import { contractBroken } from '../../../src/core/errors.ts';
import type { BridgeError } from '../../../src/core/errors.ts';
import { parseInstant } from '../../../src/core/instant.ts';
import type { Instant } from '../../../src/core/instant.ts';
import type { Quality } from '../../../src/core/quality.ts';
import { state } from '../../../src/core/samples.ts';
import type { Samples } from '../../../src/platform/contract.ts';
import type { StreamType } from './types.ts';

/** An event: the index and the values of the properties, by their names. */
export type HubEvent = Readonly<Record<string, unknown>>;

export const eventPage = z.object({
  Results: z.array(z.record(z.string(), z.unknown())),
  ContinuationToken: z.string().nullish(),
});

/** Whether an event lacks a property of the type: the hub used the short form, or the stream has another type by now. */
export const lacksSome = (events: readonly HubEvent[], { properties }: StreamType): boolean =>
  events.some((event) => [...properties.keys()].some((name) => !(name in event)));

/** Events as columns, one for each property. */
export function eventSamples(
  stream: string,
  events: readonly HubEvent[],
  type: StreamType & { key: string },
): Samples[] {
  if (events.length === 0) return [];
  const at = events.map((event) => instantOf(stream, event, type.key));
  if (type.isPi) return [piSamples(stream, events, at)];
  const names = new Set([...type.properties.keys(), ...events.flatMap((event) => Object.keys(event))]);
  names.delete(type.key);
  return [...names].map((name) => ({
    sensor: stream,
    variable: name,
    at,
    values: events.map((event) => (name in event ? event[name] : omitted(stream, event, name, type))),
    quality: 'Good',
  }));
}

function instantOf(stream: string, event: HubEvent, key: string): Instant {
  const index = event[key];
  const at = typeof index === 'string' ? parseInstant(index) : undefined;
  if (at === undefined) throw broken(stream, `an event without the time ${key}`, event);
  return at;
}

/** The value of a property that the short form leaves out. Whether a null or a 0 was left out cannot be told where both may be. */
function omitted(stream: string, event: HubEvent, name: string, { properties }: StreamType): 0 | false {
  const value = properties.get(name);
  if (value === undefined)
    throw broken(stream, `an event without ${name}, although the long form was asked for`, event);
  return value;
}

/** Events that PI feeds: a value, or the state in its place, and two flags. */
function piSamples(stream: string, events: readonly HubEvent[], at: readonly Instant[]): Samples {
  const quality = events.map((event): Quality => {
    const { IsQuestionable, IsSubstituted } = event;
    if (typeof IsQuestionable !== 'boolean' || typeof IsSubstituted !== 'boolean')
      throw broken(stream, 'an event without its flags, although the long form was asked for', event);
    return IsQuestionable ? 'Questionable' : IsSubstituted ? 'Substituted' : 'Good';
  });
  return {
    sensor: stream,
    variable: 'Value',
    at,
    values: events.map((event) => piValue(stream, event)),
    quality: quality.every((word) => word === 'Good') ? 'Good' : quality,
  };
}

/** A system state has a code and no value; a digital state has its code as value, and a name. */
function piValue(stream: string, event: HubEvent): unknown {
  const { Value, SystemStateCode, DigitalStateName } = event;
  if (Value === undefined || SystemStateCode === undefined || DigitalStateName === undefined)
    throw broken(stream, 'an event without its value and states, although the long form was asked for', event);
  const name = typeof DigitalStateName === 'string' ? DigitalStateName : undefined;
  if (typeof SystemStateCode === 'number') return state(name ?? `system state ${SystemStateCode}`, SystemStateCode);
  if (name === undefined) return Value;
  return state(name, typeof Value === 'number' ? Value : undefined);
}

const broken = (stream: string, fault: string, event: HubEvent): BridgeError =>
  contractBroken(`events of ${stream}: ${fault}`, JSON.stringify(event).slice(0, 2_000));
