import type { Command } from 'commander';
import { configInvalid } from '../core/errors.ts';
import { argumentsOf, titleOf } from '../core/source/source-name.ts';
import { ownerInWords, takeOver } from '../source/take-over.ts';
import { withContext } from '../context.ts';
import { actor, printJson, printLine } from '../terminal/output.ts';
import { helpBelow } from './help.ts';
import { SOURCE_ORGANISATION } from './options.ts';

interface TakeOverOptions {
  readonly from?: string;
  readonly fromPushed?: boolean;
  readonly sensor?: readonly string[];
  readonly organisation?: string;
  readonly json?: boolean;
}

export function addSourceTakeOver(source: Command): void {
  source
    .command('take-over <name>')
    .description('hand series over to a source, such as one that replaces another platform')
    .option('--from <source>', 'the source that has the series, also if it was removed')
    .option('--from-pushed', 'series that applications pushed so far')
    .option('--sensor <id...>', 'only the series of these sensorIds; default: all series of that owner in the project')
    .option(...SOURCE_ORGANISATION)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      helpBelow({
        examples: [
          'databridge source take-over hall-3 --from old-historian',
          'databridge source take-over hall-3 --from-pushed --sensor pump-1 pump-2',
        ],
        notes: [
          'A series belongs to the source that wrote it first, or to pushing applications. Points of any other source for it are refused, and pushed ones within a second after the hand-over. A removed source keeps its series until a source of its name stands again or another source takes them over.',
        ],
      }),
    )
    .action(async (name: string, options: TakeOverOptions) => {
      const wanted = { source: { name, organisation: options.organisation }, from: ownerOf(options) };
      const { source: taker, series } = await withContext({ patient: false }, ({ database }) =>
        takeOver(database, { ...wanted, sensors: options.sensor }, actor()),
      );
      const owner = { owner: wanted.from === 'pushed' ? null : wanted.from.source };
      if (options.json) printJson({ source: name, organisation: taker.organisation, from: owner.owner, series });
      else {
        printLine(`source ${titleOf(taker)} took over ${series} series from ${ownerInWords(owner)}`);
        printLine(
          `  databridge backfill start ${argumentsOf(taker)} --again --from TIME reads points that were refused before`,
        );
      }
    });
}

function ownerOf({ from, fromPushed = false }: TakeOverOptions): { source: string } | 'pushed' {
  if (from !== undefined && !fromPushed) return { source: from };
  if (from === undefined && fromPushed) return 'pushed';
  throw configInvalid('name one present owner', 'give --from SOURCE or --from-pushed', '--from');
}
