import { formatInstant } from '../../core/instant.ts';
import type { Instant } from '../../core/instant.ts';
import { messageOf } from '../../core/refusal-remedies.ts';
import type { RefusalReason } from '../../core/reading.ts';
import { printJson, printLine, printTable } from '../../terminal/output.ts';
import { instantOrNull, wrapped } from '../../terminal/words.ts';

/** Refusals as the commands list them; those of an application name the project of each. */
interface ListedRefusals {
  readonly hours: readonly {
    readonly project?: string;
    readonly hour: Instant;
    readonly reason: RefusalReason;
    readonly refused: number;
    readonly kept: number;
  }[];
  readonly kept: readonly {
    readonly project?: string;
    readonly reason: RefusalReason;
    readonly sensor: string;
    readonly variable: string;
    readonly at: Instant | null;
    readonly raw: string;
    readonly notedAt: Instant;
  }[];
}

/** Prints hourly counts, the meaning of each reason, and kept points. */
export function printRefusals({ hours, kept }: ListedRefusals, json: boolean): void {
  if (json) {
    printJson({
      hours: hours.map((one) => ({ ...one, hour: formatInstant(one.hour) })),
      kept: kept.map((one) => ({ ...one, at: instantOrNull(one.at), notedAt: formatInstant(one.notedAt) })),
    });
    return;
  }
  if (hours.length === 0) {
    printLine('nothing was refused');
    return;
  }
  const project = hours[0]?.project === undefined ? [] : ['project'];
  const projectOf = (one: { readonly project?: string }): (string | undefined)[] => project.map(() => one.project);
  printTable(
    ['hour', ...project, 'reason', 'refused', 'kept'],
    hours.map((one) => [formatInstant(one.hour), ...projectOf(one), one.reason, one.refused, one.kept]),
  );
  for (const reason of new Set(hours.map((one) => one.reason)))
    printLine(wrapped(`${reason}: ${messageOf(reason, 'pusher')}`));
  if (kept.length === 0) return;
  const rows = kept.map((one) => [
    ...projectOf(one),
    one.reason,
    one.sensor,
    one.variable,
    instantOrNull(one.at),
    one.raw,
    formatInstant(one.notedAt),
  ]);
  printLine();
  printTable([...project, 'reason', 'sensor', 'variable', 'date', 'value', 'noted'], rows);
}
