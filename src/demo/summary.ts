import { counted } from '../core/counted.ts';
import { SECOND } from '../core/instant.ts';
import type { Microseconds } from '../core/instant.ts';
import { grouped, roughly } from '../terminal/words.ts';
import type { Paint } from '../terminal/screen.ts';
import type { Verdict } from './judge.ts';

/** The result of a demo. */
export interface DemoOutcome {
  /** How long sources were polled. */
  readonly ran: Microseconds;
  readonly verdicts: readonly Verdict[];
  /** What is wrong, in words; empty if all is well. */
  readonly problems: readonly string[];
}

/** The heading of `summaryRows`; together they fit 80 columns. */
export const SUMMARY = ['source', 'readings', 'lost', 'doubled', 'wrong', 'late', 'refused', 'errors', 'busiest'];

/** A row for each source. `errors`: the answers that were one; `busiest`: the requests in its busiest second. */
export const summaryRows = (verdicts: readonly Verdict[]): (string | number)[][] =>
  verdicts.map(({ source, arrived, lost, doubled, wrong, late, refused, troubles, busiestSecond, ...more }) => [
    source,
    grouped(arrived).padStart(9),
    lost,
    doubled,
    wrong,
    late,
    refused,
    troubles,
    `${busiestSecond} of ${more.allowedInOneSecond}`,
  ]);

/** The result as a sentence, or a sentence for each problem. */
export function resultLines({ ran, verdicts, problems }: DemoOutcome, paint: Paint): string[] {
  if (problems.length > 0) {
    return [
      ...problems.map((problem) => `${paint('red', '✗')} ${problem}`),
      ...(verdicts.length > 0 ? ['  databridge demo --keep DIR keeps database and log for a closer look.'] : []),
    ];
  }
  const arrived = verdicts.reduce((sum, verdict) => sum + verdict.arrived, 0);
  return [
    `${paint('green', '✓')} ${counted(arrived, 'reading')} in ${roughly(ran)}: none lost, none doubled, all within pace`,
    '  Next, your own platform: databridge source check FILE (see config/sources)',
  ];
}

export const summaryDocument = ({ ran, verdicts, problems }: DemoOutcome): Record<string, unknown> => ({
  ok: problems.length === 0,
  seconds: Math.round(ran / SECOND),
  problems,
  sources: verdicts,
});
