import { formatInstant } from '../core/instant.ts';
import type { PushTrial } from '../ingest/pushed-trial.ts';
import { HttpProblem } from './problem.ts';
import { SERIES_LISTED } from './push-schema.ts';
import type { TrialAnswer } from './push-schema.ts';

/**
 * Whether a push is only tried. Throws 400 for another value than `true` and `false`, and for a misspelt name, because its
 * readings would be stored although the client wants them not to be.
 */
export function isDryRun(query: Readonly<Record<string, unknown>>): boolean {
  let dryRun = false;
  for (const name in query) {
    if (name.replaceAll(/[\s_-]/g, '').toLowerCase() !== 'dryrun') continue;
    const value = query[name];
    if (name !== 'dryRun' || (value !== 'true' && value !== 'false')) {
      throw new HttpProblem('bad-query', 'Write dryRun=true or dryRun=false, once.');
    }
    dryRun = value === 'true';
  }
  return dryRun;
}

/** What a push would store, as the answer lists it. */
export const trialAnswer = ({ series }: PushTrial): TrialAnswer => ({
  series: series.length,
  newSeries: series.filter(({ isNew }) => isNew).length,
  listed: series
    .toSorted((one, other) => Number(other.isNew) - Number(one.isNew))
    .slice(0, SERIES_LISTED)
    .map(({ sensorId, valueName, readings, first, last, isNew }) => ({
      sensorId,
      valueName,
      readings,
      first: formatInstant(first),
      last: formatInstant(last),
      isNew,
    })),
});
