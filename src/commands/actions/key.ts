import { rotateSealingKey } from '../../access/key-rotation.ts';
import { keyStateOf, keyUse, keyUseDocument, keysNotNeeded } from '../../access/key-use.ts';
import { beginWithNewKey, lostSecrets } from '../../access/lost-key.ts';
import { counted } from '../../core/counted.ts';
import { BridgeError } from '../../core/errors.ts';
import { argumentsOf } from '../../core/source/source-name.ts';
import { withContext } from '../../context.ts';
import { confirm } from '../../terminal/confirm.ts';
import { actor, printJson, printLine, printTable } from '../../terminal/output.ts';
import { SILENT, startProgress } from '../../terminal/progress.ts';
import { grouped, wrapped } from '../../terminal/words.ts';
import { interruptible } from './stop.ts';

/** `key show`. */
export async function keyShow(options: { json?: boolean }): Promise<void> {
  const used = await withContext(async ({ database, keys, sealing }) => {
    // A new database gets its first key here, too. With a wrong key the table shows the one that is missing.
    await sealing.verify().catch(() => undefined);
    return await keyUse(database, keys);
  });
  if (options.json) printJson(used.map(keyUseDocument));
  else {
    printTable(
      ['key', 'state', 'values', 'where'],
      used.map((use) => [use.kid ?? '(not named)', keyStateOf(use), inWords(use.values), use.place]),
    );
  }
}

const inWords = (values: Readonly<Record<string, number>>): string =>
  Object.entries(values)
    .map(([table, count]) => `${table} ${grouped(count)}`)
    .join(', ') || 'none';

/** `key rotate`. */
export async function keyRotate(options: { json?: boolean }): Promise<void> {
  const json = options.json ?? false;
  await interruptible('databridge key rotate goes on where this one stopped', (signal) =>
    withContext(
      async ({ database, keys, settings }) => {
        const progress = json || !process.stderr.isTTY ? SILENT : startProgress({ share: 0, facts: [] });
        const rotated = await rotateSealingKey({
          database,
          keys,
          place: settings,
          actor: actor(),
          signal,
          onProgress: (done, of) =>
            progress.update({ share: done / of, facts: [`${grouped(done)} of ${grouped(of)}`] }),
        }).finally(() => progress.stop());
        const notNeeded = await keysNotNeeded(database, keys);
        if (json) printJson({ ...rotated, notNeeded });
        else report(rotated, notNeeded);
      },
      { signal },
    ),
  );
}

function report(
  { kid, resumed, resealed, lost }: Awaited<ReturnType<typeof rotateSealingKey>>,
  notNeeded: Awaited<ReturnType<typeof keysNotNeeded>>,
): void {
  printLine(`${resumed ? 'the interrupted rotation is complete: ' : ''}${kid} seals everything now`);
  printLine(`sealed anew: ${inWords(resealed)}`);
  if (Object.keys(lost).length > 0) {
    printLine(wrapped(`No key here opens these, so they stay as they are: ${inWords(lost)} (databridge key show).`));
  }
  for (const { kid: former, place } of notNeeded) printLine(`not needed any more: ${former ?? ''} in ${place ?? ''}`);
  if (notNeeded.length > 0) {
    printLine(
      wrapped('Keep a former key as long as a backup that it sealed. Make a new backup, and copy the new key.'),
    );
  }
}

/** `key lost`. */
export async function keyLost(options: { yes?: boolean; json?: boolean }): Promise<void> {
  await withContext(async ({ database, keys }) => {
    const { sources, projects } = await lostSecrets(database, keys);
    const question = `Secrets of ${counted(sources.length, 'source')} and of ${counted(projects.length, 'project')} are lost for good. Begin with the key ${keys.present().kid}?`;
    if (!options.yes && !(await confirm(question))) {
      throw new BridgeError({ code: 'cancelled' }, 'nothing was changed');
    }
    const kid = await beginWithNewKey(database, keys, actor());
    if (options.json) {
      printJson({ kid, sources, projects });
      return;
    }
    printLine(`${kid} seals new secrets; clients have to renew their access tokens`);
    for (const source of sources) printLine(`give the secrets again: source apply FILE of ${argumentsOf(source)}`);
    for (const { code, organisation } of projects) {
      printLine(`give the secret again: ingestion push ${code} --organisation ${organisation}`);
    }
  });
}
