import type { BridgeError } from '../../core/errors.ts';
import { titleOf } from '../../core/source/source-name.ts';
import type { SourceName } from '../../core/source/source-name.ts';
import type { Database } from '../../database/database.ts';
import { sourcesKeptWaiting } from '../../delivery/waiting.ts';
import { findSource, findSources, isPattern } from '../../source/find-source.ts';
import type { FoundSource } from '../../source/find-source.ts';
import { changeSource, changeSources } from '../../source/state-change.ts';
import type { SourceChange, SourceChanged } from '../../source/state-change.ts';
import { withContext } from '../../context.ts';
import { confirm } from '../../terminal/confirm.ts';
import { EXIT, actor, printJson, printLine, printTable } from '../../terminal/output.ts';
import { grouped } from '../../terminal/words.ts';

/** The result of each change in words. */
const DONE = { pause: 'paused', resume: 'resumed', poll: 'will be polled now', remove: 'removed' } as const;

/** Follows the result of a removal. */
const AFTERWARDS = '; its readings stay, and databridge source restore brings it back';
/** The result of a poll that has to wait. */
const OUTBOX_FULL = 'will be polled when the outbox of its project has room again';

export interface ChangeOptions {
  readonly organisation?: string;
  readonly yes?: boolean;
  readonly json?: boolean;
}

const changing =
  (change: SourceChange) =>
  async (names: readonly string[], options: ChangeOptions): Promise<void> => {
    const { json = false } = options;
    await withContext(async ({ database }) => {
      const [name = ''] = names;
      const isOne = names.length === 1 && !isPattern(name);
      const sources = isOne
        ? [await findSource(database, { name, organisation: options.organisation })]
        : await findSources(database, names, options.organisation);
      if (change === 'remove' && options.yes !== true && !(await isMeant(sources, json))) {
        printLine('nothing was removed');
        process.exitCode = EXIT.failed;
        return;
      }
      if (isOne) {
        const source = await changeSource(database, change, sources[0] as FoundSource, actor());
        const [ended] = await endedOf(database, change, [{ source }]);
        printChanged(change, ended as Ended, json);
        return;
      }
      const changed = await changeSources(database, change, sources, actor());
      printAllChanged(change, await endedOf(database, change, changed), json);
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

/** How the change of a source ended. */
export interface Ended {
  readonly source: SourceName;
  /** Of a poll: it waits until the outbox of its project has room. */
  readonly waits: boolean;
  readonly error?: BridgeError | undefined;
}

async function endedOf(
  database: Database,
  change: SourceChange,
  changed: readonly SourceChanged[],
): Promise<readonly Ended[]> {
  const polled = changed.filter(({ error }) => change === 'poll' && error === undefined);
  const waiting = await sourcesKeptWaiting(
    database,
    polled.map(({ source }) => source.id),
  );
  return changed.map(({ source, error }) => ({ source, waits: waiting.has(source.id), error }));
}

/** Prints how the change of one source ended. */
export function printChanged(change: SourceChange, { source, waits }: Ended, json: boolean): void {
  const { name, organisation } = source;
  if (json) printJson({ source: name, organisation, action: change, ...(change === 'poll' && { outboxFull: waits }) });
  else
    printLine(
      `source ${titleOf(source)} ${waits ? OUTBOX_FULL : DONE[change]}${change === 'remove' ? AFTERWARDS : ''}`,
    );
}

/** Prints how the change of several sources ended. Where some could not be changed, the exit code is 1. */
export function printAllChanged(change: SourceChange, changed: readonly Ended[], json: boolean): void {
  const failed = changed.filter(({ error }) => error !== undefined).length;
  if (failed > 0) process.exitCode = EXIT.failed;
  if (json) {
    const results = changed.map(({ source: { name, organisation }, waits, error }) => ({
      source: name,
      organisation,
      error: error === undefined ? null : { message: error.message, remedy: error.remedy ?? null },
      ...(change === 'poll' && { outboxFull: waits }),
    }));
    printJson({ action: change, done: changed.length - failed, failed, results });
    return;
  }
  const result = ({ waits, error }: Ended): string =>
    error === undefined ? (waits ? OUTBOX_FULL : DONE[change]) : `not done: ${error.message}`;
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
