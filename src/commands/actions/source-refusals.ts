import { findSource } from '../../source/find-source.ts';
import { REFUSALS } from '../../core/reading.ts';
import type { RefusalReason } from '../../core/reading.ts';
import { remedyOf } from '../../core/refusal-remedies.ts';
import { refusalsOf } from '../../source/refusals.ts';
import type { StandingRefusals } from '../../source/refusals.ts';
import { withContext } from '../../context.ts';
import { printJson, printLine } from '../../terminal/output.ts';
import { grouped, instantOrNull, wrapped } from '../../terminal/words.ts';
import { parseTime } from '../options.ts';
import { printRefusalSums } from './refusal-sums.ts';

interface Options {
  readonly organisation?: string;
  readonly reason?: RefusalReason;
  readonly sensor?: string;
  readonly from?: string;
  readonly to?: string;
  readonly limit: number;
  readonly json?: boolean;
}

/** `source refusals`. */
export async function sourceRefusals(name: string, options: Options): Promise<void> {
  const refusals = await withContext({ patient: false }, async ({ database, clock }) => {
    const { id: sourceId } = await findSource(database, { name, organisation: options.organisation });
    const { reason, sensor } = options;
    const timeOf = (text: string | undefined, option: string) =>
      text === undefined ? undefined : parseTime(text, clock.now(), option);
    const [from, to] = [timeOf(options.from, '--from'), timeOf(options.to, '--to')];
    return await refusalsOf(database, { sourceId, reason, sensor, from, to }, options.limit);
  });
  if (options.json) printJson(documentOf(refusals));
  else {
    printRefusalSums({ ...refusals, reader: 'operator' });
    if (refusals.undated > 0) {
      printLine(
        `\n${wrapped(`${grouped(refusals.undated)} more points are counted without their sensor and instant. An earlier version counted them, or they are the oldest of very many. They are forgotten with the old logs.`)}`,
      );
    }
  }
}

const documentOf = ({ series, reasons, undated }: StandingRefusals): Record<string, unknown> => ({
  reasons: reasons.map((sum) => ({
    ...sum,
    first: instantOrNull(sum.first),
    last: instantOrNull(sum.last),
    meaning: REFUSALS[sum.reason],
    remedy: remedyOf(sum.reason, 'operator'),
  })),
  series: series.map((sum) => ({
    ...sum,
    first: instantOrNull(sum.first),
    last: instantOrNull(sum.last),
    examples: sum.examples.map(({ at, raw }) => ({ at: instantOrNull(at), raw })),
  })),
  undated,
});
