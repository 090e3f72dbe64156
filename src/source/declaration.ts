import { counted } from '../core/counted.ts';
import type { Batch } from '../core/batch.ts';
import { configInvalid } from '../core/errors.ts';
import { DAY, HOUR, MINUTE } from '../core/instant.ts';
import { edgeOf } from '../core/plan.ts';
import { formatWindow, lengthOf } from '../core/window.ts';
import type { Window } from '../core/window.ts';
import type { PlannedStream } from '../pull/sensors/stream-plan.ts';
import type { Finding } from './findings.ts';
import type { Trial } from './trial.ts';

/** Fewer points than these show little; a longer window is tried. */
const FEWEST_POINTS = 6;

/**
 * Tests the options that declare a platform on its own data: a window whole, in halves and by other pages has to hold the same
 * readings. Throws `config-invalid` where it does not. A window that changed meanwhile is told, and proves nothing.
 */
export async function testDeclaration(trial: Trial, stream: PlannedStream, maxReadings: number): Promise<Finding> {
  const { source } = trial;
  const read = async (window: Window, options?: unknown) =>
    await trial.read(stream, window, 'newest', maxReadings, { options, anyName: true });
  const edge = edgeOf(source.policy, Date.now() * 1000);

  let { window, batch } = await read({ from: edge - Math.min(MINUTE, source.policy.maxWindow), to: edge });
  for (const length of [HOUR, DAY, source.policy.maxWindow]) {
    if (batch.readings >= FEWEST_POINTS || length > source.policy.maxWindow) break;
    ({ window, batch } = await read({ from: edge - length, to: edge }));
  }
  const shown = formatWindow(window);
  if (batch.readings < 2) {
    const detail = `not tested: ${counted(batch.readings, 'reading')} of ${stream.key} in ${shown}; check again when there are more`;
    return { detail, warning: true };
  }

  const { resolution } = source.platform.facts;
  const middle = window.from + Math.max(1, Math.floor(lengthOf(window) / 2 / resolution)) * resolution;
  const halves = [
    { from: window.from, to: middle },
    { from: middle, to: window.to },
  ].filter(({ from, to }) => from < to);
  const other = source.platform.otherPages?.(source.options, batch.readings) ?? [];
  const ways: [string, readonly string[]][] = [];
  const inHalves: string[] = [];
  for (const half of halves) inHalves.push(...(await wholly(half)));
  ways.push(['in halves', inHalves]);
  for (const options of other) ways.push(['by smaller pages', await wholly(window, options)]);

  const whole = readingsOf(batch);
  const odd = ways.find(([, found]) => !isSame(found, whole));
  if (odd === undefined) {
    const how = ['whole', ...ways.map(([way]) => way)].join(', ');
    const detail = `${counted(batch.readings, 'reading')} of ${stream.key} in ${shown}, read ${how}: all agree`;
    return other.length > 0
      ? { detail, warning: false }
      : { detail: `${detail}; the size of a page cannot be tested`, warning: false };
  }
  const again = await wholly(window);
  if (!isSame(again, whole))
    return { detail: `not tested: readings of ${shown} changed meanwhile; check again`, warning: true };
  const [way, found] = odd;
  throw configInvalid(
    `${stream.key} in ${shown} has ${counted(whole.length, 'reading')} read whole and ${found.length} read ${way}`,
    'the platform is not as options.exactness and options.paging declare it: check bounds, cap, order and the signs of the last page',
    'options.exactness',
  );

  /** The whole window, also where it is too much at once. */
  async function wholly(wanted: Window, options?: unknown): Promise<readonly string[]> {
    const found: string[] = [];
    for (let to = wanted.to; to > wanted.from;) {
      const part = await read({ from: wanted.from, to }, options);
      found.push(...readingsOf(part.batch));
      to = part.window.from;
    }
    return found;
  }
}

const readingsOf = ({ columns }: Batch): string[] =>
  columns.flatMap(({ sensorId, valueName, segments }) =>
    segments.flatMap(({ at, value }) =>
      at.map((instant, index) => `${sensorId} ${valueName} ${instant} ${value[index]}`),
    ),
  );

const isSame = (one: readonly string[], other: readonly string[]): boolean => {
  const known = new Set(other);
  return one.length === other.length && one.every((reading) => known.has(reading));
};
