import { beforeEach, describe, expect, test } from 'vitest';
import { parseInstant } from '../../../src/core/instant.ts';
import { state } from '../../../src/core/samples.ts';
import type { Http, Samples } from '../../../src/platform/contract.ts';
import { hubOptions } from './options.ts';
import type { HubOptions } from './options.ts';
import { read } from './read.ts';

const from = parseInstant('2026-01-01T00:00:00Z') ?? 0;
const window = { from, to: from + 3_600_000_000 };
const at = (second: number) => `2026-01-01T00:00:0${second}Z`;

const property = (Id: string, SdsTypeCode: number, IsKey = false) => ({ Id, IsKey, SdsType: { SdsTypeCode } });
const axes = [property('Time', 16, true), property('X', 14), property('On', 3)];
const fed = [
  property('Timestamp', 16, true),
  property('Value', 114),
  property('IsQuestionable', 3),
  property('IsSubstituted', 3),
  property('SystemStateCode', 109),
  property('DigitalStateName', 18),
];

/** A hub with one stream. `asked`: the last part of the path of each request. */
interface Hub {
  properties: readonly object[];
  events: readonly object[];
  status: number;
  readonly asked: string[];
}

let hub: Hub;
let options: HubOptions;
beforeEach(() => {
  hub = { properties: axes, events: [], status: 200, asked: [] };
  options = hubOptions.parse({ tenant: 't', namespace: 'n' });
});

const http = {
  async get(path: string) {
    const last = path.split('/').at(-1) ?? '';
    hub.asked.push(last);
    if (last === 'Streams') return { status: 200, data: [{ Id: 'pump', TypeId: 'axes' }] };
    if (last === 'Resolved')
      return { status: 200, data: { Id: 'pump', TypeId: 'axes', Type: { Properties: hub.properties } } };
    if (hub.status !== 200) return { status: hub.status, data: { Reason: 'Exceeded the maximum return count' } };
    return { status: 200, data: { Results: hub.events, ContinuationToken: null } };
  },
} as unknown as Http;

async function valuesRead(): Promise<Record<string, readonly unknown[]>> {
  const pages: Samples[] = [];
  const selection = { group: undefined, sensors: ['pump'], variables: undefined };
  for await (const page of read(http, options, selection, window)) pages.push(page);
  return Object.fromEntries(pages.map(({ variable, values }) => [variable, values]));
}

describe('an event in the short form', () => {
  test('has 0 and false where a property that cannot be null was left out', async () => {
    hub.events = [{ Time: at(0), X: 1, On: true }, { Time: at(1) }];
    expect(await valuesRead()).toEqual({ X: [1, 0], On: [true, false] });
  });

  test('has no 0 for a property that was taken out of the type since', async () => {
    hub.events = [{ Time: at(0), X: 1, On: true }];
    await valuesRead();
    hub.properties = [property('Time', 16, true), property('X', 14)];
    hub.events = [{ Time: at(1), X: 2 }];
    expect(await valuesRead()).toEqual({ X: [2] });
    expect(hub.asked).toEqual(['Resolved', 'Data', 'Data', 'Resolved']);
  });

  test.each([
    [
      fed,
      { Timestamp: at(0), IsQuestionable: false, IsSubstituted: false, SystemStateCode: null, DigitalStateName: null },
    ],
    [fed, { Timestamp: at(0), Value: 1, SystemStateCode: null, DigitalStateName: null }],
    [[property('Time', 16, true), property('X', 114)], { Time: at(0) }],
  ])('is refused where 0 and null cannot be told apart: %#', async (properties, event) => {
    hub.properties = properties;
    hub.events = [event];
    await expect(valuesRead()).rejects.toMatchObject({ code: 'contract-broken' });
  });
});

test('states of PI are states, and a value with flags is a value', async () => {
  const flags = { IsQuestionable: false, IsSubstituted: false };
  hub.properties = fed;
  hub.events = [
    { Timestamp: at(0), Value: 1.5, ...flags, SystemStateCode: null, DigitalStateName: null },
    { Timestamp: at(1), Value: 2, ...flags, SystemStateCode: null, DigitalStateName: 'Running' },
    { Timestamp: at(2), Value: null, ...flags, SystemStateCode: 246, DigitalStateName: 'I/O Timeout' },
  ];
  expect(await valuesRead()).toEqual({ Value: [1.5, state('Running', 2), state('I/O Timeout', 246)] });
});

test.each([
  [400, 'too-much', []],
  [403, 'contract-broken', ['Streams']],
  [404, 'contract-broken', ['Streams']],
])('a question that is refused with %i is %s, of this stream alone', async (status, code, asked) => {
  hub.status = status;
  await expect(valuesRead()).rejects.toMatchObject({ code });
  expect(hub.asked).toEqual(['Resolved', 'Data', ...asked]);
});
