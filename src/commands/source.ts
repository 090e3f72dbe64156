import { Argument } from 'commander';
import type { Command } from 'commander';
import { isSourceKeptWaiting } from '../delivery/waiting.ts';
import { changeSource } from '../source/state-change.ts';
import { withContext } from '../context.ts';
import { actor, printJson, printLine } from '../terminal/output.ts';
import { addSourceApply } from './source-apply.ts';
import { addSourceCheck } from './source-check.ts';
import { addSourceList } from './source-list.ts';
import { addSourcePreview } from './source-preview.ts';
import { addSourceRefusals } from './source-refusals.ts';

export function addSource(program: Command): void {
  const source = program.command('source').description('registered connections to customers’ platforms');
  addSourceCheck(source);
  addSourcePreview(source);
  addSourceApply(source);
  addSourceList(source);
  addSourceRefusals(source);
  const changes = [
    ['pause', 'ask it nothing until it is resumed', 'paused'],
    ['resume', 'ask it again; catch-up fills what was missed', 'resumed'],
    ['poll', 'poll it now, besides its schedule, and look for new sensors', 'will be polled now'],
    ['remove', 'forget the source and its coverage; its readings stay', 'removed; its readings stay'],
  ] as const;
  for (const [change, description, done] of changes) {
    source
      .command(change)
      .addArgument(new Argument('<name>', 'name of the source'))
      .description(description)
      .option('--json', 'print JSON')
      .addHelpText('after', `\nExample:\n  $ databridge source ${change} hall-3`)
      .action(async (name: string, options: { json?: boolean }) => {
        const waits = await withContext({ patient: false }, async ({ database }) => {
          await changeSource(database, change, name, actor());
          return change === 'poll' && (await isSourceKeptWaiting(database, name));
        });
        if (options.json) printJson({ source: name, action: change, ...(change === 'poll' && { outboxFull: waits }) });
        else if (waits) printLine(`source ${name} will be polled when the outbox of its project has room again`);
        else printLine(`source ${name} ${done}`);
      });
  }
}
