import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { expect } from 'vitest';
import { z } from 'zod';
import { SimulatedClock } from '../../../src/simulator/clock.ts';
import type { SimulatedAnswer, SimulatedPlatform } from '../../../src/simulator/contract.ts';
import { PLATFORM_ORIGIN } from '../../../src/source/cassette-redaction.ts';
import { serve } from '../../../src/simulator/serve.ts';
import { openGroundAt } from './ground.ts';
import type { SubjectRules } from './on-ground.ts';
import { read, sensorsOf } from './reading.ts';
import type { Outcome } from './reading.ts';
import { PLATFORMS } from './subject.ts';
import type { Subject } from './subject.ts';
import { NOW } from './truths.ts';

/**
 * A recorded case: `cases/<what-it-shows>/` with `case.json`, `expected.json` and the answers of the platform, which are given in
 * this order to the requests of one operation, after the login.
 */
const caseSchema = z.strictObject({
  /** Where the answers come from: a server and its version, or the address of a page. */
  recorded: z.string(),
  operation: z.enum(['read', 'sensors']).default('read'),
  options: z.record(z.string(), z.unknown()),
  /** The stream and window of a read; instants are microseconds since 1970. */
  group: z.string().optional(),
  sensors: z.array(z.string()).optional(),
  variables: z.array(z.string()).optional(),
  from: z.int().default(0),
  to: z.int().default(0),
  /** The names of files, or an answer with a status or headers of its own. */
  answers: z.array(
    z.union([
      z.string(),
      z.strictObject({
        file: z.string(),
        status: z.int().default(200),
        headers: z.record(z.string(), z.string()).default({}),
      }),
    ]),
  ),
  /** For each request, in order: parts that its method, path, query and body hold, with the query decoded. */
  asked: z.array(z.array(z.string())).optional(),
});

const expectedSchema = z.union([
  z.strictObject({
    /** Sensor, value name, instant, value. */
    readings: z.array(z.tuple([z.string(), z.string(), z.int(), z.number()])),
    /** Refused points by reason. */
    refused: z.record(z.string(), z.int()),
    /** Sensors that fail while others are read. */
    failed: z.array(z.string()).optional(),
  }),
  z.strictObject({ sensors: z.array(z.unknown()) }),
  /** A part of the fault. */
  z.strictObject({ error: z.looseObject({ code: z.string() }) }),
]);

const TYPES: Readonly<Record<string, string>> = { '.html': 'text/html', '.csv': 'text/csv', '.txt': 'text/plain' };

/** Gives the answers in turn, and an error to a request for which none was recorded. */
function replay(answers: readonly (() => SimulatedAnswer)[]): SimulatedPlatform & { readonly asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    answer({ method, path, query, body }) {
      const parameters = Array.from(query, ([name, value]) => `${name}=${value}`).join('&');
      const number = asked.push(`${method} ${path}?${parameters} ${body}`);
      return answers[number - 1]?.() ?? { status: 500, body: `request ${number}, and ${answers.length} were recorded` };
    },
    errorAnswer: (status) => ({ status, body: '' }),
    invalidateTokens: () => undefined,
    state: () => ({}),
  };
}

const written = ({ rows, refused, failedAlone }: Outcome) => ({
  readings: rows.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1)),
  refused: Object.fromEntries(refused),
  ...(failedAlone.length > 0 && { failed: failedAlone }),
});

/** Plays a case of this folder. */
export async function playsBack(subject: Subject, folder: string): Promise<void> {
  const fileOf = (file: string): string => readFileSync(join(folder, file), 'utf8');
  const given = caseSchema.parse(JSON.parse(fileOf('case.json')));
  const expected = expectedSchema.parse(JSON.parse(fileOf('expected.json')));
  let address = '';
  const answers = given.answers.map((answer) => (): SimulatedAnswer => {
    const { file, status, headers } = typeof answer === 'string' ? { file: answer, status: 200, headers: {} } : answer;
    const here = (text: string): string => text.replaceAll(PLATFORM_ORIGIN, address);
    const more = Object.entries(headers).map(([name, value]) => [name, here(value)] as const);
    const type = TYPES[extname(file)] ?? 'application/json';
    return { status, body: here(fileOf(file)), headers: { 'content-type': type, ...Object.fromEntries(more) } };
  });
  const platform = replay(answers);
  const clock = new SimulatedClock(Math.max(NOW, given.to) / 1000);
  const simulator = await serve(platform, clock);
  address = simulator.url;
  const ground = await openGroundAt(subject, simulator, clock, given.options);
  try {
    if (given.operation === 'sensors') {
      expect({ sensors: await sensorsOf(ground) }).toEqual(expected);
    } else {
      const { group, sensors, variables, from, to } = given;
      const outcome = await read(ground, { from, to }, { streams: [{ selection: { group, sensors, variables } }] });
      if ('error' in expected) expect(outcome.failures[0]?.fault).toMatchObject(expected.error);
      else {
        expect(outcome.failures.length).toBe(outcome.failedAlone.length);
        expect(written(outcome)).toEqual(expected);
      }
    }
    expect(platform.asked, 'requests').toHaveLength(answers.length);
    for (const [index, parts] of (given.asked ?? []).entries())
      for (const part of parts) expect(platform.asked[index], `request ${index + 1}`).toContain(part);
  } finally {
    await ground.close();
  }
}

/** Each recorded case gives exactly the readings, refusals or the error that it expects, and there is one that gives readings. */
export function caseRules({ platform }: Subject): SubjectRules {
  const cases = join(PLATFORMS, platform.name, 'cases');
  const names = existsSync(cases) ? readdirSync(cases).toSorted() : [];
  const jsonOf = (name: string, file: string): unknown => JSON.parse(readFileSync(join(cases, name, file), 'utf8'));
  return {
    'its cases say where their answers are from, and one of them gives readings': async () => {
      const origins = names.map((name) => caseSchema.parse(jsonOf(name, 'case.json')).recorded);
      for (const origin of origins) expect(origin).toMatch(/\w+ \w+/);
      const giving = names.filter((name) => {
        const expected = expectedSchema.parse(jsonOf(name, 'expected.json'));
        return 'readings' in expected && expected.readings.length > 0;
      });
      expect(giving.length, `cases that give readings, in ${cases}; there are: ${origins.join('; ')}`).toBeGreaterThan(
        0,
      );
    },
    ...Object.fromEntries(
      names.map((name) => [`case ${name}`, (subject: Subject) => playsBack(subject, join(cases, name))]),
    ),
  };
}
