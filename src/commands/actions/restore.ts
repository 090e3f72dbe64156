import { resolve } from 'node:path';
import { audit } from '../../access/audit.ts';
import { checkOf, hasKey, keepKey, keyFileOf, keyPlaceOf, openKeys } from '../../access/keys.ts';
import { giveSecretsUp } from '../../access/stored-sealing.ts';
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
    const key = await keyFor(settings, header, options.withoutKey ?? false);
    const { migrated, ...counts } = await withConnection(settings, (client) =>
      restore(client, file, {
        version: VERSION,
        signal,
        onProgress: (state) => progress.update({ ...state, share: (1 + 2 * state.share) / 3 }),
        async finish(inside) {
          await audit(inside, actor(), 'bridge.restore', name, { madeAt: header.createdAt, madeBy: header.version });
          if (key === 'lost') await giveSecretsUp(inside);
          if (key === 'in the backup' && header.key.text !== undefined) await keepKey(settings.home, header.key.text);
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
    if (key === 'in the backup') printLine(`the sealing key of the backup is in ${keyFileOf(settings.home)}`);
    printLine('stop the old bridge, if it still runs; then databridge up goes on here');
  } finally {
    progress.stop();
  }
}

/** Where the key of the backup's secrets is. Throws `config-invalid` where it is nowhere and the operator does not do without it. */
async function keyFor(
  settings: Settings,
  { key }: BackupHeader,
  without: boolean,
): Promise<'here' | 'in the backup' | 'lost'> {
  const found = await hasKey(settings);
  if (!found && key.text !== undefined) return 'in the backup';
  const place = keyPlaceOf(settings);
  if (found && (await openKeys(settings)).all().some((one) => checkOf(one) === key.digest)) return 'here';
  if (without) return 'lost';
  throw configInvalid(
    !found
      ? `there is no sealing key at ${place}, and the secrets of the backup are sealed`
      : `the key in ${place} is not the one that sealed the secrets of the backup`,
    `set DATABRIDGE_KEY to the key of the old bridge, or put its file at ${keyFileOf(settings.home)}; it was ${key.place}. With --without-key the secrets have to be given anew`,
  );
}
