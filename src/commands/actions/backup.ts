import { resolve } from 'node:path';
import { audit } from '../../access/audit.ts';
import { checkOf, keyPlaceOf, keyText } from '../../access/keys.ts';
import { withContext } from '../../context.ts';
import { backUp } from '../../database/backup/back-up.ts';
import type { Database } from '../../database/database.ts';
import { actor, printJson, printLine } from '../../terminal/output.ts';
import { wrapped } from '../../terminal/words.ts';
import { VERSION } from '../../version.ts';
import { countsInWords, startCopyProgress } from './copy-progress.ts';
import { interruptible } from './stop.ts';

interface BackupOptions {
  readonly withKey?: boolean;
  readonly json?: boolean;
}

/** `backup`. */
export async function backup(path: string, options: BackupOptions): Promise<void> {
  const holds = `nothing was written to ${path}; an earlier backup of that name stays`;
  await interruptible(holds, (signal) => backUpTo(path, options, signal));
}

const backUpTo = (path: string, options: BackupOptions, signal: AbortSignal): Promise<void> =>
  withContext(
    async ({ database, keys, sealing, settings }) => {
      const withKey = options.withKey ?? false;
      const kid = await sealing.verify();
      const before = await keyState(database);
      const used = (await keys.withKid(kid)) ?? keys.present();
      const place = keyPlaceOf(settings);
      const key = { digest: checkOf(used), place, ...(withKey && { text: keyText(used) }) };
      const progress = startCopyProgress(options.json ?? false);
      const file = resolve(path);
      const onProgress = progress.update;
      const counts = await backUp(database, { file, version: VERSION, key, signal, onProgress }).finally(progress.stop);
      const after = await keyState(database);
      const rotating = before?.rotating === true || before?.kid !== after?.kid;
      await database.transaction((client) => audit(client, actor(), 'bridge.backup', file, { withKey }));
      if (options.json) {
        printJson({ file, version: VERSION, ...counts, key: { place, included: withKey, rotating } });
        return;
      }
      printLine(`${file} is complete: ${countsInWords(counts).join(', ')}`);
      printLine(
        wrapped(
          withKey
            ? 'It holds the sealing key in clear: whoever reads the file can read every secret.'
            : `Its secrets are sealed. A restore needs the key too: ${place}. Keep a copy of the key in another place than the backup.`,
        ),
      );
      if (rotating) {
        printLine(
          wrapped(
            'The key was being rotated: a restore needs the former key too. Make another backup after key rotate.',
          ),
        );
      }
    },
    { signal },
  );

const keyState = (database: Database): Promise<{ readonly kid: string; readonly rotating: boolean } | undefined> =>
  database.row('select kid, rotating_since is not null as rotating from sealing');
