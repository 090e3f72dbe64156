import { expect } from 'vitest';
import type { ValueForm } from '../../../src/simulator/contract.ts';
import type { TruthPoint } from '../../../src/simulator/truth.ts';
import { expectFailure, onGround } from './on-ground.ts';
import type { SubjectRules } from './on-ground.ts';
import { expectTruth } from './oracle.ts';
import { read, streamsOf } from './reading.ts';
import type { Subject } from './subject.ts';
import { numbersAt, pointAt, spread, truthOf, windowOf } from './truths.ts';
import type { KeyOfTruth } from './truths.ts';

const NUMBERS = [0, -1, 0.1, 1e-7, -1e-300, 1e21, 1.7976931348623157e308, 4503599627370495.5, 9_007_199_254_740_991];

/** Points that hold these values one after the other, and a number between each two. */
function between(
  subject: Subject,
  values: readonly TruthPoint['value'][],
  more: Partial<TruthPoint> = {},
): TruthPoint[] {
  const instants = spread(subject, windowOf(subject), 2 * values.length + 1);
  return instants.map((at, index) =>
    index % 2 === 0 ? pointAt(at, index) : pointAt(at, values[(index - 1) / 2] ?? 0, more),
  );
}

async function reads(subject: Subject, ...keys: readonly (readonly TruthPoint[] | KeyOfTruth)[]): Promise<void> {
  const window = windowOf(subject);
  const truth = truthOf(subject, keys);
  await onGround(subject, { truth }, async (ground) => {
    expectTruth(subject, truth, window, await read(ground, window));
  });
}

/** Every point that the fault hits is a refusal and not a reading. */
async function refuses(subject: Subject, value: 'null' | 'NaN' | '"NaN"'): Promise<void> {
  const window = windowOf(subject);
  const instants = spread(subject, window, 20);
  const truth = truthOf(subject, [numbersAt(instants)]);
  await onGround(subject, { truth }, async (ground) => {
    const streams = await streamsOf(ground);
    ground.simulator.faults.switchOn({ kind: 'bad-value', value, every: 1 });
    const outcome = await read(ground, window, { streams });
    // The bare word NaN is no JSON, so the whole answer may be refused.
    if (outcome.failures.length > 0) return expectFailure(ground, outcome, 'contract-broken');
    const refused = [...outcome.refused.values()].reduce((sum, number) => sum + number, 0);
    expect([outcome.rows.length, refused]).toEqual([0, instants.length]);
  });
}

const FORMS: Readonly<Record<ValueForm, (subject: Subject) => Promise<void>>> = {
  boolean: (subject) =>
    reads(subject, {
      kind: 'boolean',
      listed: between(subject, [true, false]).filter(({ value }) => typeof value === 'boolean'),
    }),
  text: (subject) =>
    reads(subject, {
      kind: 'text',
      listed: ['', '0', '42', '-1.5', 'NaN', 'true', 'überhitzt'].map((value, index) =>
        pointAt(spread(subject, windowOf(subject), 7)[index] ?? 0, value),
      ),
    }),
  json: (subject) =>
    reads(subject, {
      kind: 'json',
      listed: between(subject, [{ mode: 'RUN' }, { x: 1 }]).filter(({ value }) => typeof value === 'object'),
    }),
  state: (subject) => {
    const states = ['Off', 'On'].map((state, code) => ({ state, code }));
    const instants = spread(subject, windowOf(subject), 6);
    const listed = instants.map((at, index) => pointAt(at, states[index % 2] ?? ''));
    return reads(subject, { states: ['Off', 'On'], listed });
  },
  'system-state': (subject) => {
    const states = [
      { state: 'No Data', code: 248 },
      { state: 'Bad', code: 307 },
    ];
    return reads(subject, between(subject, states));
  },
  quality: (subject) =>
    reads(subject, between(subject, [5, 6], { quality: 'bad' }), between(subject, [7], { quality: 'uncertain' })),
  'unknown-quality': async (subject) => {
    const window = windowOf(subject);
    const truth = truthOf(subject, [between(subject, [5, 6, 7], { quality: 'unknown' })]);
    await onGround(subject, { truth }, async (ground) => {
      const outcome = await read(ground, window);
      expectTruth(subject, truth, window, outcome);
      expect([...outcome.refused]).toEqual([['unknown-quality', 3]]);
    });
  },
  null: (subject) => refuses(subject, 'null'),
  NaN: async (subject) => {
    await refuses(subject, 'NaN');
    await refuses(subject, '"NaN"');
  },
  finer: async (subject) => {
    const { from } = windowOf(subject);
    const finer = [0, 1, 7, 9].map((steps) => pointAt(from, steps, { finer: steps }));
    await reads(subject, [...finer, pointAt(from + 1, 10), pointAt(from + 2, 11, { finer: 4 })]);
  },
};

/** Numbers of every size, and every form of value that the product holds. */
export const valueRules = ({ product }: Subject): SubjectRules => ({
  'numbers come unchanged, also 0': (subject) => {
    const instants = spread(subject, windowOf(subject), NUMBERS.length);
    return reads(
      subject,
      instants.map((at, index) => pointAt(at, NUMBERS[index] ?? 0)),
    );
  },
  ...Object.fromEntries((product.holds ?? []).map((form) => [`values are read as they are: ${form}`, FORMS[form]])),
  'a point that comes twice is stored once': async (subject) => {
    const window = windowOf(subject);
    const truth = truthOf(subject, [numbersAt(spread(subject, window, 20))]);
    await onGround(subject, { truth }, async (ground) => {
      const streams = await streamsOf(ground);
      ground.simulator.faults.switchOn({ kind: 'duplicate-timestamps', value: 'same', every: 1 });
      const outcome = await read(ground, window, { streams });
      if (outcome.failures.length > 0) return expectFailure(ground, outcome, 'contract-broken');
      expect([outcome.rows.length, outcome.repeats]).toEqual([20, 20]);
    });
  },
});
