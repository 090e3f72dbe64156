import { resolve } from 'node:path';
import { audit } from '../../access/audit.ts';
import { findKey, keyFileOf } from '../../access/sealing.ts';
import { withContext } from '../../context.ts';
import { backUp } from '../../database/backup/back-up.ts';
import { actor, printJson, printLine } from '../../terminal/output.ts';
import { wrapped } from '../../terminal/words.ts';
import { VERSION } from '../../version.ts';
import { countsInWords, startCopyProgress } from './copy-progress.ts';
import { KEY_CHECK } from './key-check.ts';
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
  withContext({ patient: false, signal }, async ({ database, sealing, settings }) => {
    const withKey = options.withKey ?? false;
    const place = settings.sealingKey === undefined ? keyFileOf(settings.home) : 'DATABRIDGE_KEY';
    const text = withKey ? await findKey(settings.home, settings.sealingKey) : undefined;
    const key = { digest: sealing.digest(KEY_CHECK), place, ...(text !== undefined && { text }) };
    const progress = startCopyProgress(options.json ?? false);
    const file = resolve(path);
    const onProgress = progress.update;
    const counts = await backUp(database, { file, version: VERSION, key, signal, onProgress }).finally(progress.stop);
    await database.transaction((client) => audit(client, actor(), 'bridge.backup', file, { withKey }));
    if (options.json) {
      printJson({ file, version: VERSION, ...counts, key: { place, included: withKey } });
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
  });
