import type { Command } from 'commander';
import { helpBelow } from './help.ts';
import { whenRun } from './when-run.ts';

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
    .action(whenRun(async () => (await import('./actions/signing-key.ts')).signingKeyList));
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
    .action(whenRun(async () => (await import('./actions/signing-key.ts')).signingKeyRotate));
}
