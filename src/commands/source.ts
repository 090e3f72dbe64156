import { Argument } from 'commander';
import type { Command } from 'commander';
import { helpBelow } from './help.ts';
import { SOURCE_ORGANISATION } from './options.ts';
import { addSourceApply } from './source-apply.ts';
import { addSourceCheck } from './source-check.ts';
import { addSourceContract } from './source-contract.ts';
import { addSourceCoverage } from './source-coverage.ts';
import { addSourceList } from './source-list.ts';
import { addSourceExport } from './source-export.ts';
import { addSourceNew } from './source-new.ts';
import { addSourceNewest } from './source-newest.ts';
import { addSourcePreview } from './source-preview.ts';
import { addSourceRecord } from './source-record.ts';
import { addSourceRefusals } from './source-refusals.ts';
import { addSourceRequests } from './source-requests.ts';
import { addSourceRestore } from './source-restore.ts';
import { addSourceSensors } from './source-sensors.ts';
import { addSourceTakeOver } from './source-take-over.ts';
import { addSourceAdvise } from './source-advise.ts';
import { addSourceTrace } from './source-trace.ts';
import { addSourceWhy } from './source-why.ts';
import { whenRun } from './when-run.ts';

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
  addSourceNew(source);
  addSourceCheck(source);
  addSourceSensors(source);
  addSourcePreview(source);
  addSourceApply(source);
  addSourceList(source);
  addSourceWhy(source);
  addSourceTrace(source);
  addSourceAdvise(source);
  addSourceCoverage(source);
  addSourceNewest(source);
  addSourceRecord(source);
  addSourceRequests(source);
  addSourceContract(source);
  addSourceRefusals(source);
  addSourceTakeOver(source);
  addSourceRestore(source);
  addSourceExport(source);
  const changes = [
    ['pause', 'stop asking a source until it is resumed'],
    ['resume', 'ask a source again, after a pause or a stop; the missed time is fetched'],
    ['poll', 'poll a source now, besides its schedule, and look for new sensors'],
    ['remove', 'remove a source and its coverage; its readings stay'],
  ] as const;
  for (const [change, description] of changes) {
    const command = source
      .command(change)
      .addArgument(new Argument('<name...>', "names of sources, or patterns such as 'plant-*', in quotes"))
      .description(description)
      .option(...SOURCE_ORGANISATION)
      .option('--json', 'print JSON')
      .addHelpText(
        'after',
        helpBelow({
          examples: [`databridge source ${change} hall-3`, `databridge source ${change} hall-3 'plant-*'`],
          notes: [
            'In a pattern * stands for any text and ? for one character. A pattern that matches nothing is an error.',
          ],
          exitCodes: '0 done, 1 failed, also for some of several sources, 2 wrong usage, or no source has the name',
        }),
      )
      .action(
        whenRun(
          async () => (await import('./actions/source.ts')).sourceChanges[change],
          async (url) => (await import('./actions/elsewhere-sources.ts')).changeElsewhere(url, change),
        ),
      );
    if (change === 'remove') command.option('--yes', 'do not ask');
  }
}
