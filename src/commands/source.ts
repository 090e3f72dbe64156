import { Argument } from 'commander';
import type { Command } from 'commander';
import { titleOf } from '../core/source/source-name.ts';
import { isSourceKeptWaiting } from '../delivery/waiting.ts';
import { changeSource } from '../source/state-change.ts';
import { withContext } from '../context.ts';
import { actor, printJson, printLine } from '../terminal/output.ts';
import { helpBelow } from './help.ts';
import { SOURCE_ORGANISATION } from './options.ts';
import { addSourceApply } from './source-apply.ts';
import { addSourceCheck } from './source-check.ts';
import { addSourceList } from './source-list.ts';
import { addSourcePreview } from './source-preview.ts';
import { addSourceRefusals } from './source-refusals.ts';
import { addSourceSensors } from './source-sensors.ts';
import { addSourceTakeOver } from './source-take-over.ts';

export function addSource(program: Command): void {
  const source = program
    .command('source')
    .description('sources: registered connections to customers’ platforms')
    .addHelpText(
      'after',
      helpBelow({
        examples: [
          'databridge source check hall-3.yaml',
          'databridge source apply hall-3.yaml',
          'databridge source list',
          'databridge source show hall-3',
        ],
      }),
    );
  addSourceCheck(source);
  addSourceSensors(source);
  addSourcePreview(source);
  addSourceApply(source);
  addSourceList(source);
  addSourceRefusals(source);
  addSourceTakeOver(source);
  const changes = [
    ['pause', 'stop asking a source until it is resumed', 'paused'],
    ['resume', 'ask a source again, after a pause or a stop; the missed time is fetched', 'resumed'],
    ['poll', 'poll a source now, besides its schedule, and look for new sensors', 'will be polled now'],
    ['remove', 'remove a source and its coverage; its readings stay', 'removed; its readings stay'],
  ] as const;
  for (const [change, description, done] of changes) {
    source
      .command(change)
      .addArgument(new Argument('<name>', 'name of the source'))
      .description(description)
      .option(...SOURCE_ORGANISATION)
      .option('--json', 'print JSON')
      .addHelpText('after', helpBelow({ examples: [`databridge source ${change} hall-3`] }))
      .action(async (name: string, options: { organisation?: string; json?: boolean }) => {
        const { source, waits } = await withContext({ patient: false }, async ({ database }) => {
          const changed = await changeSource(database, change, { name, organisation: options.organisation }, actor());
          return { source: changed, waits: change === 'poll' && (await isSourceKeptWaiting(database, changed.id)) };
        });
        const { organisation } = source;
        if (options.json)
          printJson({ source: name, organisation, action: change, ...(change === 'poll' && { outboxFull: waits }) });
        else if (waits)
          printLine(`source ${titleOf(source)} will be polled when the outbox of its project has room again`);
        else printLine(`source ${titleOf(source)} ${done}`);
      });
  }
}
