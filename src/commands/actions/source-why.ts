import { SECOND } from '../../core/instant.ts';
import { withContext } from '../../context.ts';
import { platforms as listed } from '../../context-platforms.ts';
import { conditionOf } from '../../source/condition.ts';
import { findSource } from '../../source/find-source.ts';
import type { SourceReport } from '../../source/report.ts';
import { explainSource, whyDocument } from '../../source/why-facts.ts';
import type { Cause } from '../../source/why.ts';
import { printJson, printLine } from '../../terminal/output.ts';
import { roughly, wrapped } from '../../terminal/words.ts';

/** `source why`. */
export async function sourceWhy(name: string, options: { organisation?: string; json?: boolean }): Promise<void> {
  await withContext(async ({ database }) => {
    const source = await findSource(database, { name, organisation: options.organisation });
    const explained = await explainSource(database, listed, source);
    if (options.json) printJson(whyDocument(explained));
    else for (const line of whyInWords(explained.report, explained.causes)) printLine(line);
  });
}

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
