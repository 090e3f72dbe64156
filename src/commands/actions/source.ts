import { titleOf } from '../../core/source/source-name.ts';
import type { Database } from '../../database/database.ts';
import { isSourceKeptWaiting } from '../../delivery/waiting.ts';
import { findSource, findSources, isPattern } from '../../source/find-source.ts';
import type { FoundSource } from '../../source/find-source.ts';
import { changeSource, changeSources } from '../../source/state-change.ts';
import type { SourceChange, SourceChanged } from '../../source/state-change.ts';
import { withContext } from '../../context.ts';
import { confirm } from '../../terminal/confirm.ts';
import { EXIT, actor, printJson, printLine, printTable } from '../../terminal/output.ts';
import { grouped } from '../../terminal/words.ts';

/** The result of each change in words. */
export const DONE = { pause: 'paused', resume: 'resumed', poll: 'will be polled now', remove: 'removed' } as const;

/** Follows the result of a removal. */
export const AFTERWARDS = '; its readings stay, and databridge source restore brings it back';
/** The result of a poll that has to wait. */
export const OUTBOX_FULL = 'will be polled when the outbox of its project has room again';

interface ChangeOptions {
  readonly organisation?: string;
  readonly yes?: boolean;
  readonly json?: boolean;
}

const changing =
  (change: SourceChange) =>
  async (names: readonly string[], options: ChangeOptions): Promise<void> => {
    await withContext({ patient: false }, async ({ database }) => {
      const [name = ''] = names;
      const isOne = names.length === 1 && !isPattern(name);
      const sources = isOne
        ? [await findSource(database, { name, organisation: options.organisation })]
        : await findSources(database, names, options.organisation);
      if (change === 'remove' && options.yes !== true && !(await isMeant(sources, options.json ?? false))) {
        printLine('nothing was removed');
        process.exitCode = EXIT.failed;
      } else if (isOne) await changeOne(database, change, sources[0] as FoundSource, options);
      else await changeAll(database, change, sources, options);
    });
  };

async function isMeant(sources: readonly FoundSource[], json: boolean): Promise<boolean> {
  const [first] = sources;
  if (sources.length === 1 && first)
    return await confirm(
      `Remove source ${titleOf(first)} and its coverage? Its readings and its last configuration stay.`,
    );
  if (!json) for (const source of sources) printLine(`  ${titleOf(source)}`);
  return await confirm(
    `Remove these ${grouped(sources.length)} sources and their coverage? Readings and last configurations stay.`,
  );
}

async function changeOne(
  database: Database,
  change: SourceChange,
  source: FoundSource,
  { json }: ChangeOptions,
): Promise<void> {
  await changeSource(database, change, source, actor());
  const waits = change === 'poll' && (await isSourceKeptWaiting(database, source.id));
  const { name, organisation } = source;
  if (json) printJson({ source: name, organisation, action: change, ...(change === 'poll' && { outboxFull: waits }) });
  else
    printLine(
      `source ${titleOf(source)} ${waits ? OUTBOX_FULL : DONE[change]}${change === 'remove' ? AFTERWARDS : ''}`,
    );
}

/** Where some sources could not be changed, the exit code is 1. */
async function changeAll(
  database: Database,
  change: SourceChange,
  sources: readonly FoundSource[],
  { json }: ChangeOptions,
): Promise<void> {
  const changed = await changeSources(database, change, sources, actor());
  const waiting = new Set<number>();
  if (change === 'poll') {
    for (const { source, error } of changed)
      if (error === undefined && (await isSourceKeptWaiting(database, source.id))) waiting.add(source.id);
  }
  const failed = changed.filter(({ error }) => error !== undefined).length;
  if (failed > 0) process.exitCode = EXIT.failed;
  if (json) {
    const results = changed.map(({ source: { id, name, organisation }, error }) => ({
      source: name,
      organisation,
      error: error === undefined ? null : { message: error.message, remedy: error.remedy ?? null },
      ...(change === 'poll' && { outboxFull: waiting.has(id) }),
    }));
    printJson({ action: change, done: changed.length - failed, failed, results });
    return;
  }
  const result = ({ source, error }: SourceChanged): string => {
    if (error !== undefined) return `not done: ${error.message}`;
    return waiting.has(source.id) ? OUTBOX_FULL : DONE[change];
  };
  printTable(
    ['source', 'result'],
    changed.map((one) => [titleOf(one.source), result(one)]),
  );
  printLine(`${grouped(changed.length - failed)} of ${grouped(changed.length)} sources ${DONE[change]}`);
}

/** `source pause`, `source resume`, `source poll` and `source remove`. */
export const sourceChanges = {
  pause: changing('pause'),
  resume: changing('resume'),
  poll: changing('poll'),
  remove: changing('remove'),
} as const;
