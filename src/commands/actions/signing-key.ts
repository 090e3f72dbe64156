import { rotateSigningKey, signingKeyDocument, storedSigningKeys } from '../../access/stored-signing-keys.ts';
import { formatInstant } from '../../core/instant.ts';
import { withContext } from '../../context.ts';
import { actor, printJson, printLine, printTable } from '../../terminal/output.ts';

/** `signing-key list`. */
export async function signingKeyList(options: { json?: boolean }): Promise<void> {
  const { keys, now } = await withContext(async ({ database, clock }) => ({
    keys: await storedSigningKeys(database),
    now: clock.now(),
  }));
  const rows = keys.map((key) => signingKeyDocument(key, now));
  if (options.json) printJson(rows);
  else if (rows.length === 0) printLine('no keys yet; the first one is created when the first token is');
  else {
    const cells = rows.map((row) => [row.kid, row.state, row.signsFrom, row.signsUntil]);
    printTable(['kid', 'state', 'signs from', 'signs until'], cells);
  }
}

/** `signing-key rotate`. */
export async function signingKeyRotate(options: { atOnce?: boolean; json?: boolean }): Promise<void> {
  const rotation = await withContext(({ database, sealing }) =>
    rotateSigningKey(database, sealing, { atOnce: options.atOnce ?? false }, actor()),
  );
  const from = formatInstant(rotation.signsFrom);
  if (options.json) printJson({ ...rotation, signsFrom: from });
  else if (rotation.created) printLine(`key ${rotation.kid} created; it signs from ${from}`);
  else printLine(`a rotation is under way already: key ${rotation.kid} signs from ${from}`);
}
