import { keyPlaceOf } from '../../access/keys.ts';
import { keyFinding } from '../../alerts/bridge-findings.ts';
import { groupInWords, overviewDocument, overviewOf } from '../../alerts/overview.ts';
import type { Overview, TroubleGroup } from '../../alerts/overview.ts';
import { readRules } from '../../alerts/rules.ts';
import { formatBytes } from '../../core/bytes.ts';
import { counted } from '../../core/counted.ts';
import { SECOND } from '../../core/instant.ts';
import { withContext } from '../../context.ts';
import { EXIT, printExactly, printJson } from '../../terminal/output.ts';
import { paintOn } from '../../terminal/screen.ts';
import { MARKS, inColour } from '../../terminal/states.ts';
import { grouped, roughly, short, widthOf } from '../../terminal/words.ts';
import { sourcesInWords } from './sources-in-words.ts';

/** More troubles than these are no screen. */
const TROUBLES_SHOWN = 8;
const WIDTH = 80;

/** `status`. */
export async function status({ json }: { json?: boolean }): Promise<void> {
  const overview = await withContext(async ({ database, keys, sealing, settings }) =>
    overviewOf(database, {
      limits: (await readRules(settings.alerts)).limits,
      isEmbedded: settings.databaseUrl === undefined,
      more: [await keyFinding({ database, keys, sealing }, keyPlaceOf(settings))],
    }),
  );
  if (json) printJson(overviewDocument(overview));
  else for (const line of statusInWords(overview, widthOf(process.stdout) ?? WIDTH)) printExactly(line);
  if (overview.state === 'failed') process.exitCode = EXIT.failed;
}

/** The verdict, the state of the parts, then the troubles, in lines of at most `width` characters. */
export function statusInWords(overview: Overview, width: number): readonly string[] {
  const { state, verdict, sources, conditions, troubles } = overview;
  const hidden = troubles.length - TROUBLES_SHOWN;
  return [
    marked(state, verdict, width),
    '',
    short(sources === 0 ? 'no sources yet' : sourcesInWords(conditions, sources, sources), width),
    ...partsInWords(overview).map((part) => short(part, width)),
    ...(troubles.length === 0 ? [] : ['']),
    ...troubles.slice(0, TROUBLES_SHOWN).flatMap((trouble) => troubleInWords(trouble, width)),
    ...(hidden > 0 ? [`${grouped(hidden)} more: databridge status --json`] : []),
  ];
}

const marked = (state: Overview['state'], text: string, width: number): string =>
  `${inColour(state, MARKS[state], paintOn(process.stdout))} ${short(text, width - 2)}`;

function partsInWords({ plannerAge, workers, work, disks, holds }: Overview): readonly string[] {
  const { due, outbox } = work;
  const planned = plannerAge === null ? 'the planner has never planned' : `planned ${roughly(plannerAge)} ago`;
  const jobs = due.poll + due.look + due.history;
  return [
    `${counted(workers.length, 'worker')}, ${planned}, ${jobs === 0 ? 'nothing waits' : `${counted(jobs, 'job')} due`}`,
    ...(outbox.waiting === 0
      ? []
      : [
          `outbox: ${counted(outbox.waiting, 'reading')} waiting, the oldest for ${roughly(outbox.oldestAge * SECOND)}${outbox.full === 0 ? '' : `, full for ${counted(outbox.full, 'project')}`}`,
        ]),
    ...(holds.length === 0
      ? []
      : [`on hold, so nothing of ${holds.length === 1 ? 'it' : 'them'} is removed: ${holds.join(', ')}`]),
    ...(disks ?? []).map(
      ({ host, free, size }) => `disk: ${formatBytes(free)} of ${formatBytes(size)} free on ${host}`,
    ),
  ];
}

function troubleInWords(trouble: TroubleGroup, width: number): readonly string[] {
  const { state, count, subjects, remedy, next } = trouble;
  const names = count > 1 ? [`  ${short(subjects.join(', '), width - 2)}`] : [];
  // A command on the source is what comes next.
  const mend = remedy.startsWith('databridge source ') ? [] : [`  ${short(remedy, width - 2)}`];
  return [marked(state, groupInWords(trouble), width), ...names, ...mend, `  next: ${next}`];
}
