import { describe, expect, it } from 'vitest';
import { conformanceRules } from './kit/rules.ts';
import { PAPER_RULES } from './platform-rules.ts';
import { reference } from './reference/platform.ts';
import type { Mistake } from './reference/platform.ts';
import { simulatedReference } from './reference/simulator.ts';

/** These rules take long and find none of the mistakes below. */
const LONG = /1 GB|large plant|early|cancelled|one request at a time/;

/** A rule on the files of a platform, as those of the README and the sample are. */
const OF_CASES = 'its cases say where their answers are from, and one of them gives readings';

/** The rules that a platform breaks. Its folder does not exist, so README, sample and recorded cases are left out. */
async function brokenBy(mistake?: Mistake): Promise<string[]> {
  const subject = { platform: reference(mistake), product: simulatedReference };
  const rules = Object.entries(conformanceRules(subject)).filter(
    ([name]) => !(name in PAPER_RULES) && name !== OF_CASES && (mistake === undefined || !LONG.test(name)),
  );
  const broken = await Promise.all(
    rules.map(([name, keeps]) =>
      keeps(subject).then(
        () => [],
        () => [name],
      ),
    ),
  );
  return broken.flat();
}

/** Each mistake, and a rule that must find it. */
const MISTAKES: Readonly<Record<Mistake, string>> = {
  'misses the last tick': 'points at and beside both ends of a window are in the right window',
  'drops the last page': '2 x cap points are read whole',
  'takes an error for nothing': 'an error with status 200 is a failure, on every page',
  'keeps one point of an instant': '2 events at one instant after 9 others are all read',
  'asks again after 429': 'a platform that asks for silence (Retry-After: seconds) gets it',
  'forgets a sensor that failed': 'a sensor that was deleted is not an empty one',
};

describe('the rules', () => {
  it('are all kept by a platform without a mistake', async () => {
    expect(await brokenBy()).toEqual([]);
  });

  it.each(Object.entries(MISTAKES))('find that a platform %s', async (mistake, rule) => {
    expect(await brokenBy(mistake as Mistake)).toContain(rule);
  });
});
