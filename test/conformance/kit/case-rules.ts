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
  /** The names of files, or an answer with a status of its own. */
  answers: z.array(z.union([z.string(), z.strictObject({ file: z.string(), status: z.int() })])),
});

const expectedSchema = z.union([
  z.strictObject({
    /** Sensor, value name, instant, value. */
    readings: z.array(z.tuple([z.string(), z.string(), z.int(), z.number()])),
    /** Refused points by reason. */
    refused: z.record(z.string(), z.int()),
  }),
  z.strictObject({ sensors: z.array(z.unknown()) }),
  /** A part of the fault. */
  z.strictObject({ error: z.looseObject({ code: z.string() }) }),
]);

const TYPES: Readonly<Record<string, string>> = { '.html': 'text/html', '.csv': 'text/csv', '.txt': 'text/plain' };

/** Gives the answers in turn, and an error to a request for which none was recorded. */
function replay(answers: readonly (() => SimulatedAnswer)[]): SimulatedPlatform & { readonly asked: number } {
  let asked = 0;
  return {
    get asked() {
      return asked;
    },
    answer() {
      asked += 1;
      return answers[asked - 1]?.() ?? { status: 500, body: `request ${asked}, and ${answers.length} were recorded` };
    },
    errorAnswer: (status) => ({ status, body: '' }),
    invalidateTokens: () => undefined,
    state: () => ({}),
  };
}

const written = ({ rows, refused }: Outcome) => ({
  readings: rows.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1)),
  refused: Object.fromEntries(refused),
});

/** Plays a case of this folder. */
export async function playsBack(subject: Subject, folder: string): Promise<void> {
  const fileOf = (file: string): string => readFileSync(join(folder, file), 'utf8');
  const given = caseSchema.parse(JSON.parse(fileOf('case.json')));
  const expected = expectedSchema.parse(JSON.parse(fileOf('expected.json')));
  let address = '';
  const answers = given.answers.map((answer) => (): SimulatedAnswer => {
    const { file, status } = typeof answer === 'string' ? { file: answer, status: 200 } : answer;
    const body = fileOf(file).replaceAll(PLATFORM_ORIGIN, address);
    return { status, body, headers: { 'content-type': TYPES[extname(file)] ?? 'application/json' } };
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
        expect(outcome.failures).toEqual([]);
        expect(written(outcome)).toEqual(expected);
      }
    }
    expect(platform.asked, 'requests').toBe(answers.length);
  } finally {
    await ground.close();
  }
}

/** Each recorded case gives exactly the readings, refusals or the error that it expects. */
export function caseRules({ platform }: Subject): SubjectRules {
  const cases = join(PLATFORMS, platform.name, 'cases');
  const names = existsSync(cases) ? readdirSync(cases).toSorted() : [];
  return Object.fromEntries(
    names.map((name) => [`case ${name}`, (subject: Subject) => playsBack(subject, join(cases, name))]),
  );
}
