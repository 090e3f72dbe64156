import type { Command } from 'commander';
import { rotateSigningKey, storedSigningKeys } from '../access/stored-signing-keys.ts';
import type { StoredSigningKey } from '../access/stored-signing-keys.ts';
import { formatInstant } from '../core/instant.ts';
import type { Instant } from '../core/instant.ts';
import { withContext } from '../context.ts';
import { actor, printJson, printLine, table } from '../terminal/output.ts';
import { instantOrNull } from '../terminal/words.ts';
import { helpBelow } from './help.ts';

export function addSigningKey(program: Command): void {
  const signingKey = program
    .command('signing-key')
    .description('the keys that sign access tokens')
    .addHelpText('after', helpBelow({ examples: ['databridge signing-key list', 'databridge signing-key rotate'] }));
  signingKey
    .command('list')
    .description('list the keys whose tokens may be valid, in the order in which they sign')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      helpBelow({
        examples: ['databridge signing-key list'],
        notes: [
          'State: "published" keys will sign later, the key that "signs" signs new tokens, keys that "verify" only check old ones.',
        ],
      }),
    )
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
      else if (rows.length === 0) printLine('no keys yet; the first one is created when the first token is');
      else {
        const cells = rows.map((row) => [row.kid, row.state, row.signsFrom, row.signsUntil]);
        printLine(table(['kid', 'state', 'signs from', 'signs until'], cells));
      }
    });
  signingKey
    .command('rotate')
    .description('create a key that is published now and signs in ten minutes')
    .option('--at-once', 'after a leak: sign with the new key now and refuse all tokens of the old keys')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      helpBelow({
        examples: ['databridge signing-key rotate', 'databridge signing-key rotate --at-once'],
        notes: [
          'Old keys stay published until their last token has expired. With --at-once every client has to renew its token.',
        ],
      }),
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
