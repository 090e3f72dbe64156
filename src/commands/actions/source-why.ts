import { SECOND } from '../../core/instant.ts';
import { withContext } from '../../context.ts';
import { loadedOf } from '../../platform/registry.ts';
import { platforms as listed } from '../../context-platforms.ts';
import { conditionOf } from '../../source/condition.ts';
import { findSource } from '../../source/find-source.ts';
import { reportSource } from '../../source/report.ts';
import type { SourceReport } from '../../source/report.ts';
import { unknownSource } from '../../source/unusable-source.ts';
import { circumstanceOf } from '../../source/why-facts.ts';
import { causesOf } from '../../source/why.ts';
import type { Cause } from '../../source/why.ts';
import { printJson, printLine } from '../../terminal/output.ts';
import { instantOrNull, roughly, wrapped } from '../../terminal/words.ts';

/** `source why`. */
export async function sourceWhy(name: string, options: { organisation?: string; json?: boolean }): Promise<void> {
  await withContext({ patient: false }, async ({ database }) => {
    const source = await findSource(database, { name, organisation: options.organisation });
    const report = await reportSource(database, source.id);
    if (report === undefined) throw unknownSource(source);
    const known = await circumstanceOf(database, source.id);
    const causes = causesOf(report, known, await loadedOf(listed, [report.platform]));
    if (options.json) {
      printJson({
        name,
        condition: conditionOf(report),
        lagSeconds: inSeconds(report.lag),
        overdueSeconds: inSeconds(report.overdue),
        newestAt: instantOrNull(report.newestAt),
        causes: causes.map(({ length, ...cause }) => ({ ...cause, seconds: inSeconds(length) })),
      });
    } else {
      for (const line of whyInWords(report, causes)) printLine(line);
    }
  });
}

const inSeconds = (length: number | null): number | null => (length === null ? null : length / SECOND);

/** A sentence about the source, then each cause with its time and its remedy, in lines of at most 80 characters. */
export function whyInWords(report: SourceReport, causes: readonly Cause[]): string[] {
  const { name, lag, gaps } = report;
  const overdue = report.overdue ?? 0;
  const condition = conditionOf(report);
  const behind = lag === null ? '' : `, ${roughly(lag)} behind`;
  const late = overdue > SECOND && condition !== 'well' ? `, ${roughly(overdue)} more than its schedule allows` : '';
  return [
    wrapped(`${name} is ${condition}${behind}${late}.`),
    ...causes.flatMap(({ length, message, remedy }) => {
      const time = length === null ? '' : `${length < SECOND ? '<1s' : roughly(length)}: `;
      return ['', wrapped(`${time}${message}`), wrapped(`try: ${remedy}`, '  ')];
    }),
    ...(gaps ? ['', wrapped(`Older time is missing, too; databridge source coverage ${name} shows it.`)] : []),
  ];
}
