import { counted } from '../../core/counted.ts';
import { titleOf } from '../../core/source/source-name.ts';
import { matters, renameInWords } from '../../source/renames.ts';
import type { Applied } from '../../source/registration.ts';
import { ownerInWords, ownerRemedy } from '../../source/take-over.ts';
import { printLine } from '../../terminal/output.ts';
import { grouped, wrapped } from '../../terminal/words.ts';

/** Whether applying the source does anything. */
export const isChange = ({ action }: Applied): boolean => action !== 'unchanged';

/** Prints the effect of applying a source. */
export function printApplied(applied: Applied, dryRun: boolean, file?: string): void {
  const would = dryRun && isChange(applied) ? 'would be ' : '';
  printLine(`source ${titleOf(applied)} ${would}${applied.action}${file === undefined ? '' : `, by ${file}`}`);
  for (const organisation of applied.namesakes) {
    printLine(`  another source ${applied.name} stands in organisation ${organisation}; it stays as it is`);
  }
  const ofSensors = applied.differences.filter(({ path }) => path.startsWith('sensors['));
  const hidden = new Set(ofSensors.slice(ofSensors.length > 2 * SENSOR_LINES ? SENSOR_LINES : Infinity));
  for (const difference of applied.differences) {
    const { path, before, after } = difference;
    if (!hidden.has(difference)) printLine(`  ${path}: ${show(before)} → ${show(after)}`);
  }
  if (hidden.size > 0) printLine(`  and ${grouped(hidden.size)} more fields of sensors; --json lists all`);
  for (const line of moveInWords(applied.move, dryRun)) printLine(`  ${line}`);
  for (const rename of applied.renames.filter(matters)) printLine(`  ${renameInWords(rename)}`);
  for (const line of repairInWords(applied.repair)) printLine(`  ${line}`);
  for (const owned of applied.seriesOfOthers) {
    printLine(
      `  ${owned.series} of the series that it names belong to ${ownerInWords(owned)}, so its points for them are refused`,
    );
    printLine(`    try: ${ownerRemedy(applied, owned)}`);
  }
}

/** The backfill that a change of the mapping makes worth while. */
function repairInWords(repair: Applied['repair']): string[] {
  if (repair === null) return [];
  const { refused, series, reasons, command } = repair;
  const text = `${counted(refused, 'point')} of ${counted(series, 'variable')} were refused before the change (${reasons.join(', ')}). This asks for them again:`;
  return [...wrapped(text).split('\n'), `  ${command.replace(' --from', ' \\\n      --from')}`];
}

/** The effect on the coverage; nothing where no field of the place changed. */
function moveInWords({ coverage, fields, byText, streams }: Applied['move'], dryRun: boolean): string[] {
  if (fields.length === 0) return [];
  const listed = fields.join(' and ');
  const number = counted(streams, 'stream');
  const [kept, ended] = dryRun ? ['would be kept', 'would end'] : ['is kept', 'has ended'];
  const text = `${byText.join(' and ')}: a reference is compared by its text, not by its value`;
  return [
    coverage === 'kept'
      ? `the coverage of ${number} ${kept}: --same-data says that ${listed} leads to the same data`
      : `the coverage of ${number} ${ended}, because ${listed} changed; new streams begin at the start of the source, and stored readings stay`,
    ...(byText.length > 0 ? [text] : []),
  ];
}

/** Differences in the list of sensors that are shown, because a table has thousands of rows. */
const SENSOR_LINES = 20;

const show = (value: unknown): string =>
  value === undefined ? '(not set)' : typeof value === 'string' ? value : JSON.stringify(value);
