import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { valuesIn } from '../../adapters/platforms/http-json/ask.ts';
import { evaluated } from '../../adapters/platforms/http-json/evaluators.ts';
import { expression } from '../../adapters/platforms/http-json/expression.ts';
import { parseRules } from '../../src/alerts/rules.ts';
import { judgedBody } from '../../src/api/push.ts';
import { registry } from '../../src/context-registry.ts';
import { nearNames } from '../../src/core/near-names.ts';
import type { FullName } from '../../src/core/near-names.ts';
import { hourOf, requestsByMinute } from '../../src/core/request-counts.ts';
import type { Database } from '../../src/database/database.ts';
import { decodedInPieces } from '../../src/platform/connection/charset.ts';
import { collect } from '../../src/platform/connection/content.ts';
import { jsonInPieces } from '../../src/platform/connection/json-in-pieces.ts';
import { redactorFor } from '../../src/platform/connection/redaction.ts';
import { parseListed } from '../../src/platform/platforms-for.ts';
import { withDocuments } from '../../src/source/document-apart.ts';
import { exportSource } from '../../src/source/export.ts';
import { inPieces } from '../../src/source/in-pieces.ts';
import { LONGEST_MS, longestStretch } from '../kit/event-loop.ts';

// Nothing that an operator's file or a platform's answer says may hold the event loop for over 100 ms.

const evaluate = (code: string, document: unknown): Promise<unknown> => valuesIn(document, { 'answer.points': code });
const parse = (code: string): unknown => expression('Any.').safeParse(code);
const redact = (text: string): string => redactorFor({ password: 'open sesame' }).redact(text);

const read = (text: string): Promise<unknown> =>
  withDocuments('body', text, async (apart) => [apart.documents, await apart.placesOf(0, ['a', 'k7'])]);

const SOURCE = {
  name: 'hall',
  project: 'hall',
  kind: 'user-credentials',
  platform: 'influxdb',
  connection: { url: 'https://influx.example', username: 'reader', password: 's3cret' },
  options: { database: 'plant' },
};
const sensors = (count: number): unknown => Array.from({ length: count }, (_, at) => ({ id: `sensor-${at}` }));
const judge = async (more: unknown): Promise<unknown> => {
  const input = { ...SOURCE, ...(more as object) };
  return await parseListed(input, registry.platforms, { kinds: registry.kinds, now: 1_767_225_600_000_000 });
};

/** A source of a megabyte as its file. */
const STORED = JSON.stringify({ ...SOURCE, sensors: sensors(30_000) });
const stored = { row: () => Promise.resolve({ config: STORED }) } as unknown as Database;
const exported = (): Promise<unknown> =>
  exportSource(stored, registry, { id: 1, projectId: 1, name: 'hall', organisation: 'default' });

const LETTERS = 'abcdefghij';
/** Names without a number, so that all have to be compared with each other. */
const namesOf = (count: number, sensor: string): FullName[] =>
  Array.from({ length: count }, (_, at) => ({
    sensorId: `${sensor}${String(at).replaceAll(/\d/g, (digit) => LETTERS[Number(digit)] as string)}`,
    valueName: 'flow',
  }));
const KNOWN = namesOf(20_000, 'pump');

/** The same names in pieces, as `nearSeries` looks them up. */
async function resembling(names: readonly FullName[]): Promise<unknown> {
  const known = nearNames<FullName>([]);
  await inPieces(KNOWN, (name) => known.add(name));
  return await inPieces(names, (name) => known.near(name, 3));
}

const LETTERS_OF_LABELS = LETTERS.split('').slice(0, 5);
const ROWS = Array.from(
  { length: 500_000 },
  (_, at) => `{"t":${at},"value":[${at}.5,"good"],"name":"sensor \\"${at}\\""}`,
);
const JSON_BYTES = Buffer.from(`{"answer":{"rows":[${ROWS.join()}]}}`);
/** From the pieces of a body to what it says, as a connection does it. */
async function answered(...bodies: readonly Buffer[]): Promise<unknown> {
  const body = new PassThrough();
  const bytes = collect(body);
  for (const one of bodies)
    for (let at = 0; at < one.length; at += 65_536)
      if (!body.write(one.subarray(at, at + 65_536))) await once(body, 'drain');
  body.end();
  return await jsonInPieces(await decodedInPieces(await bytes, 'utf-8'));
}
/** Of 50 MB. */
const LONG_ANSWER = [...Array<Buffer>(2).fill(JSON_BYTES)].flatMap((one) => [Buffer.from(','), one]);

/** A body at the usual limits of readings and bytes. */
const PUSHED = Buffer.from(
  JSON.stringify(
    Array.from({ length: 50_000 }, (_, at) => ({
      sensorId: `sensor-${at % 500}`,
      valueName: 'flow',
      timestamp: new Date(1_767_225_600_000 + at * 1_000).toISOString(),
      value: at + 0.5,
      labels: Object.fromEntries(LETTERS_OF_LABELS.map((label) => [label, `x${at}`])),
    })),
  ),
);
const rulesOf = async (text: string): Promise<unknown> => parseRules('alerts.yaml', text);
const CSV_TEXT = Buffer.from(`t,v\n${Array.from({ length: 100_000 }, (_, at) => `${at},${at}.5`).join('\n')}\n`);

/** An answer in CSV. */
const rowsOf = (text: Buffer): Promise<unknown> =>
  evaluated(
    {
      body: 'csv',
      delimiter: ',',
      charset: 'utf-8',
      headers: {},
      codes: { 'answer.points': '$count($)' },
      wish: { kind: 'values' },
    },
    text,
    { source: 'csv' },
  );

const HOURS = Array.from({ length: 10_000 }, () => `30000000|${Array(61).fill('5,,1,2,1').join(';')}`);
const hours = (): Promise<unknown> =>
  inPieces(HOURS, (text) => hourOf(requestsByMinute(text, 30_000_000 * 60_000_000)));

const CORPUS: readonly (readonly [name: string, work: () => unknown])[] = [
  ['an expression that loops', () => evaluate('($f := function($n) { $f($n + 1) }; $f(0))', {})],
  ['a regular expression that backtracks', () => evaluate('$match(t, /^(a+)+$/)', { t: `${'a'.repeat(40)}b` })],
  ['an expression that fills the memory', () => evaluate('$base64encode($pad("x", 400000000))', {})],
  ['an expression of many steps', () => parse(`a${'.a'.repeat(1_999)}`)],
  ['an expression of as many steps as there may be', () => parse(`a${'.a'.repeat(200)}`)],
  ['an expression of many brackets', () => parse('['.repeat(4_000))],
  ['an expression of many parents', () => parse(`a.b${'.%'.repeat(198)}`)],
  ['a page of names of secrets', () => redact('token-'.repeat(16_000))],
  ['a page of half a token', () => redact('eyJ-'.repeat(25_000))],
  ['YAML of many keys', () => read(Array.from({ length: 6_000 }, (_, at) => `k${at}: 1`).join('\n'))],
  ['YAML of many anchors', () => read(Array.from({ length: 1_500 }, (_, at) => `- &a${at} x\n- *a${at}`).join('\n'))],
  ['YAML of many levels', () => read('['.repeat(50_000))],
  ['YAML of a long text', () => read(`a: "${'x'.repeat(4_000_000)}"`)],
  [
    'YAML of aliases that multiply',
    () =>
      read(
        LETTERS.split('')
          .map(
            (l, at) =>
              `${l}: &${l} [${Array(9)
                .fill(`*${LETTERS[at - 1] ?? l}`)
                .join()}]`,
          )
          .join('\n'),
      ),
  ],
  ['a source of 200,000 sensors', () => judge({ sensors: sensors(200_000) })],
  [
    'a source of unknown keys',
    () => judge(Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`k${at}`, 1]))),
  ],
  ['the file of a source of 30,000 sensors', exported],
  ['an answer of JSON of 50 MB', () => answered(Buffer.from('[0'), ...LONG_ANSWER, Buffer.from(']'))],
  ['an answer of JSON that ends early', () => answered(JSON_BYTES.subarray(0, -1))],
  ['a pushed body at its limits', () => judgedBody(PUSHED, { now: 1_767_225_600_000_000 })],
  ['rules of alerts with many keys', () => rulesOf(Array.from({ length: 1_400 }, (_, at) => `k${at}: 1`).join('\n'))],
  [
    'rules of alerts with many anchors',
    () => rulesOf(`targets:\n${Array.from({ length: 680 }, (_, at) => `- &a${at} x\n- *a${at}`).join('\n')}`),
  ],
  ['an answer of CSV', () => rowsOf(CSV_TEXT)],
  ['names that resemble others', () => resembling(namesOf(1_000, 'punp'))],
  ['the requests of 10,000 sources', hours],
];

it.each(CORPUS)(
  'holds the event loop for a moment only: %s',
  async (_, work) => {
    // What the first call compiles and loads is no matter of the input.
    await evaluate('a', { a: 1 });
    parse('a');
    redact('a');
    await judge({ sensors: sensors(1) });
    await answered(Buffer.from(`[${ROWS.slice(0, 20_000).join()}]`));
    // Processor time only ever comes out too long, by cold caches and the garbage of what ran before: the least of three counts.
    let least = Infinity;
    for (let measured = 0; measured < 3 && least >= LONGEST_MS; measured += 1)
      least = Math.min(least, await longestStretch(work));
    expect(least).toBeLessThan(LONGEST_MS);
  },
  120_000,
);
