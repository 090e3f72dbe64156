import { resolve } from 'node:path';
import { audit } from '../../access/audit.ts';
import { findKey, keepKey, keyFileOf, openSealing } from '../../access/sealing.ts';
import { counted } from '../../core/counted.ts';
import { configInvalid } from '../../core/errors.ts';
import { withConnection } from '../../context.ts';
import { openBackup } from '../../database/backup/backup-file.ts';
import type { BackupHeader } from '../../database/backup/format.ts';
import { assertKnown, restore } from '../../database/backup/restore.ts';
import { readSettings } from '../../settings.ts';
import type { Settings } from '../../settings.ts';
import { actor, printJson, printLine } from '../../terminal/output.ts';
import { VERSION } from '../../version.ts';
import { countsInWords, startCopyProgress } from './copy-progress.ts';
import { KEY_CHECK } from './key-check.ts';
import { interruptible } from './stop.ts';

/** `restore`. */
export const restoreBackup = (path: string, options: RestoreOptions): Promise<void> =>
  interruptible('nothing was restored', (signal) => restoreFrom(path, options, signal));

interface RestoreOptions {
  readonly withoutKey?: boolean;
  readonly json?: boolean;
}

async function restoreFrom(path: string, options: RestoreOptions, signal: AbortSignal): Promise<void> {
  const settings = readSettings(process.env);
  const progress = startCopyProgress(options.json ?? false);
  const name = resolve(path);
  try {
    const file = await openBackup(name, signal, (read, bytes) => {
      // The first third of the bar is the check of the file.
      progress.update({ share: read / bytes / 3, tables: 0, rows: 0, bytes: read });
    });
    const { header } = file;
    assertKnown(header, name, VERSION);
    const isNewKey = await assertKey(settings, header, options.withoutKey ?? false);
    const { migrated, ...counts } = await withConnection(settings, (client) =>
      restore(client, file, {
        version: VERSION,
        signal,
        onProgress: (state) => progress.update({ ...state, share: (1 + 2 * state.share) / 3 }),
        async finish(inside) {
          await audit(inside, actor(), 'bridge.restore', name, { madeAt: header.createdAt, madeBy: header.version });
          if (isNewKey && header.key.text !== undefined) await keepKey(settings.home, header.key.text);
        },
      }),
    );
    progress.stop();
    const place = settings.databaseUrl === undefined ? settings.home : 'the database of DATABASE_URL';
    if (options.json) {
      const { createdAt, version } = header;
      printJson({ file: name, place, ...counts, createdAt, version, migrations: migrated });
      return;
    }
    printLine(`restored into ${place}: ${countsInWords(counts).join(', ')}`);
    printLine(`as it was at ${header.createdAt}, made by databridge ${header.version}`);
    if (migrated.length > 0) printLine(`brought forward by ${counted(migrated.length, 'migration')}`);
    if (isNewKey) printLine(`the sealing key of the backup is in ${keyFileOf(settings.home)}`);
    printLine('stop the old bridge, if it still runs; then databridge up goes on here');
  } finally {
    progress.stop();
  }
}

/** Throws `config-invalid` where the secrets of the backup could not be opened. @returns whether the key of the backup is to be kept */
async function assertKey({ home, sealingKey }: Settings, { key }: BackupHeader, without: boolean): Promise<boolean> {
  const found = await findKey(home, sealingKey);
  if (found === undefined && key.text !== undefined) return true;
  if (without) return false;
  const place = sealingKey === undefined ? keyFileOf(home) : 'DATABRIDGE_KEY';
  if (found !== undefined && (await openSealing(home, found)).digest(KEY_CHECK) === key.digest) return false;
  throw configInvalid(
    found === undefined
      ? `there is no sealing key at ${place}, and the secrets of the backup are sealed`
      : `the key in ${place} is not the one that sealed the secrets of the backup`,
    `set DATABRIDGE_KEY to the key of the old bridge, or put its file at ${keyFileOf(home)}; it was ${key.place}. With --without-key the secrets have to be given anew`,
  );
}
