import { SECOND, formatInstant } from '../../core/instant.ts';
import { argumentsOf } from '../../core/source/source-name.ts';
import { withContext } from '../../context.ts';
import { platforms as listed } from '../../context-platforms.ts';
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
    else {
      for (const line of whyInWords(explained.report, explained.causes)) printLine(line);
      printLine(`\n${wrapped(moreInWords(argumentsOf(explained.report)))}`);
    }
  });
}

/** The commands that show more of a source, each with what it alone has. */
const moreInWords = (named: string): string =>
  `More of it: databridge source show ${named} has its windows and faults, source newest ${named} each sensor, source coverage ${named} which time is there, source refusals ${named} the refused points; source requests has the requests of each host.`;

/** A sentence about the source, then each cause with its time and its remedy, in lines of at most 80 characters. */
export function whyInWords(report: SourceReport, causes: readonly Cause[]): string[] {
  const { name, state, lag, gaps, lastSuccessAt, createdAt } = report;
  const named = argumentsOf(report);
  const overdue = report.overdue ?? 0;
  const { condition } = report;
  const behind = lag === null ? '' : `, ${roughly(lag)} behind`;
  const late = overdue > SECOND && condition !== 'well' ? `, ${roughly(overdue)} more than its schedule allows` : '';
  return [
    wrapped(`${name} is ${condition}${behind}${late}.`),
    ...causes.flatMap(({ length, message, remedy }) => {
      const time = length === null ? '' : `${length < SECOND ? '<1s' : roughly(length)}: `;
      return ['', wrapped(`${time}${message}`), wrapped(`try: ${remedy}`, '  ')];
    }),
    ...(lastSuccessAt === null && state === 'active'
      ? ['', wrapped(`No poll of it has succeeded since it was registered at ${formatInstant(createdAt)}.`)]
      : []),
    ...(gaps ? ['', wrapped(`Older time is missing, too; databridge source coverage ${named} shows it.`)] : []),
  ];
}
