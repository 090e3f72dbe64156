import { counted } from '../../core/counted.ts';
import type { SourceConfig } from '../../core/source/source.ts';
import { titleOf } from '../../core/source/source-name.ts';
import { applySource } from '../../source/registration.ts';
import { matters, refuseRenames, renameInWords } from '../../source/renames.ts';
import type { Applied } from '../../source/registration.ts';
import { ownerInWords, takeOverCommand } from '../../source/take-over.ts';
import { withContext } from '../../context.ts';
import { grouped } from '../../terminal/words.ts';
import { actor, printJson, printLine } from '../../terminal/output.ts';
import { interruptible } from './stop.ts';
import { registryOf, sourcesIn } from './source-files.ts';

export interface ApplyOptions {
  readonly dryRun?: boolean;
  readonly sameData?: boolean;
  readonly rename?: boolean;
  readonly json?: boolean;
}

/** `source apply`. */
export async function sourceApply(path: string, options: ApplyOptions): Promise<void> {
  const sources = await sourcesIn(path, options.json ?? false);
  if (sources === undefined) return;
  const done: Applied[] = [];
  const applied = await interruptible(
    () => keptInWords(done.length, sources.length),
    (signal) => applyAll(sources, done, options, signal),
  );
  if (options.json) printJson(applied);
  else for (const one of applied) printApplied(one, options.dryRun ?? false);
}

const keptInWords = (done: number, all: number): string =>
  done === 0
    ? 'nothing was changed'
    : `${counted(done, 'source')} of ${all} applied, the others are as they were; applying again goes on`;

/** Applies sources one after the other, and notes in `done` those that are applied. Throws where the signal aborts between two. */
const applyAll = (
  sources: readonly SourceConfig[],
  done: Applied[],
  options: ApplyOptions,
  signal: AbortSignal,
): Promise<readonly Applied[]> =>
  withContext({ patient: false, mayCreate: options.dryRun !== true, signal }, async ({ database, sealing, clock }) => {
    const { dryRun = false, sameData = false, rename = false } = options;
    const given = { now: clock.now(), actor: actor(), dryRun, sameData, rename };
    const placeOf = (one: SourceConfig) => ({ database, sealing, registry: registryOf(one) });
    // All sources are tried first, so that an error that can be foreseen leaves all of them unchanged.
    const planned: Applied[] = [];
    for (const one of sources) planned.push(await applySource(placeOf(one), one, { ...given, dryRun: true }));
    if (given.dryRun) return planned;
    for (const one of planned) refuseRenames(one, rename);
    for (const one of sources) {
      signal.throwIfAborted();
      done.push(await applySource(placeOf(one), one, given));
    }
    return done;
  });

/** Prints the effect of applying a source. */
export function printApplied(applied: Applied, dryRun: boolean): void {
  const would = dryRun && applied.action !== 'unchanged' ? 'would be ' : '';
  printLine(`source ${titleOf(applied)} ${would}${applied.action}`);
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
  for (const owned of applied.seriesOfOthers) {
    printLine(
      `  ${owned.series} of the series that it names belong to ${ownerInWords(owned)}, so its points for them are refused`,
    );
    printLine(`    try: other names, or ${takeOverCommand(applied, owned)}`);
  }
}

/** The effect on the coverage; nothing where no field of the place changed. */
function moveInWords({ coverage, fields, byText, streams }: Applied['move'], dryRun: boolean): string[] {
  if (fields.length === 0) return [];
  const listed = fields.join(' and ');
  const number = `${counted(streams, 'stream')}`;
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
