import type { Command } from 'commander';
import { rotateSigningKey, storedSigningKeys } from '../access/stored-signing-keys.ts';
import type { StoredSigningKey } from '../access/stored-signing-keys.ts';
import { formatInstant } from '../core/instant.ts';
import type { Instant } from '../core/instant.ts';
import { withContext } from '../context.ts';
import { actor, printJson, printLine, table } from '../terminal/output.ts';
import { instantOrNull } from '../terminal/words.ts';

export function addSigningKey(program: Command): void {
  const signingKey = program.command('signing-key').description('keys that sign access tokens');
  signingKey
    .command('list')
    .description('list the keys whose tokens may be valid, in the order they sign')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ databridge signing-key list')
    .action(async (options: { json?: boolean }) => {
      const { keys, now } = await withContext({ patient: false }, async ({ database, clock }) => ({
        keys: await storedSigningKeys(database),
        now: clock.now(),
      }));
      const rows = keys.map((key) => ({
        kid: key.kid,
        state: stateOf(key, now),
        signsFrom: formatInstant(key.signsFrom),
        signsUntil: instantOrNull(key.signsUntil),
      }));
      if (options.json) printJson(rows);
      else if (rows.length === 0) printLine('no keys yet; the first one is made when it is needed');
      else {
        const cells = rows.map((row) => [row.kid, row.state, row.signsFrom, row.signsUntil]);
        printLine(table(['kid', 'state', 'signs from', 'signs until'], cells));
      }
    });
  signingKey
    .command('rotate')
    .description('make a new key: published now, signing in ten minutes; old ones stay until their tokens have expired')
    .option('--at-once', 'for a key that leaked: sign with the new one now and refuse every token of the others')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  $ databridge signing-key rotate\n  $ databridge signing-key rotate --at-once    every client has to renew its token',
    )
    .action(async (options: { atOnce?: boolean; json?: boolean }) => {
      const rotation = await withContext({ patient: false }, ({ database, sealing }) =>
        rotateSigningKey(database, sealing, { atOnce: options.atOnce ?? false }, actor()),
      );
      const from = formatInstant(rotation.signsFrom);
      if (options.json) printJson({ ...rotation, signsFrom: from });
      else if (rotation.created) printLine(`key ${rotation.kid} created; it signs from ${from}`);
      else printLine(`a rotation is under way already: key ${rotation.kid} signs from ${from}`);
    });
}

function stateOf({ signsFrom, signsUntil }: StoredSigningKey, now: Instant): string {
  if (signsFrom > now) return 'published';
  return signsUntil === null || signsUntil > now ? 'signs' : 'verifies';
}
