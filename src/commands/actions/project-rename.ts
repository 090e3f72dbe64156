import { configInvalid } from '../../core/errors.ts';
import { withContext } from '../../context.ts';
import { pushedRenames, renameHeld, unrename } from '../../source/held-rename.ts';
import { nameInWords } from '../../source/near-series.ts';
import type { WantedProject } from '../../source/project-room.ts';
import { actor, printJson, printLine, printList } from '../../terminal/output.ts';
import { wrapped } from '../../terminal/words.ts';

interface GivenName {
  readonly sensorId: string;
  readonly valueName?: string | undefined;
}

function nameOf(words: readonly string[], path: string): GivenName {
  const [sensorId, valueName, ...more] = words;
  if (sensorId !== undefined && more.length === 0) return { sensorId, valueName };
  throw configInvalid('name one sensor', 'give a sensorId, or a sensorId and a valueName', path);
}

/** `project release --as`. */
export async function projectRename(
  project: WantedProject,
  given: { readonly names: readonly string[]; readonly as: readonly string[]; readonly json?: boolean | undefined },
): Promise<void> {
  const [from, as] = [nameOf(given.names, 'name'), nameOf(given.as, '--as')];
  const { pushed, applications, files } = await withContext(({ database }) =>
    renameHeld(database, project, from, as, actor()),
  );
  if (given.json) return printJson({ ...project, pushed, applications, files });
  for (const one of pushed) printLine(`pushed readings of ${nameInWords(one.from)} go to ${nameInWords(one.to)} now`);
  if (applications.length > 0) {
    printLine(
      wrapped(`Readings that were refused are stored when they are sent again, by ${applications.join(', ')}.`),
    );
  }
  for (const { source, yaml } of files) {
    printLine(`add this to the file of source ${source}, in which sensors has to be a list, and apply it;`);
    printLine('then it prints the backfill that repairs:');
    printLine(yaml);
  }
}

/** `project unrename`. */
export async function projectUnrename(
  code: string,
  names: readonly string[],
  { organisation, json }: { readonly organisation: string; readonly json?: boolean },
): Promise<void> {
  const ended = await withContext(({ database }) =>
    unrename(database, { organisation, code }, nameOf(names, 'name'), actor()),
  );
  if (json) return printJson({ code, organisation, ended });
  printLine(`${ended} ${ended === 1 ? 'rename is' : 'renames are'} ended: the names count as new ones`);
}

/** `project names --renamed`. */
export async function printRenamed(
  project: WantedProject,
  { limit, json }: { readonly limit: number; readonly json?: boolean | undefined },
): Promise<void> {
  const rows = await withContext(({ database }) => pushedRenames(database, project));
  if (json) return printJson(rows.slice(0, limit));
  if (rows.length === 0) return printLine('no name is renamed');
  const cells = rows.map(({ from, to }) => [from.sensorId, from.valueName, to.sensorId, to.valueName]);
  printList(['sensor', 'variable', 'series', 'of variable'], cells, { noun: ['renamed name'], limit });
}
