import { configInvalid } from '../../core/errors.ts';
import { argumentsOf, titleOf } from '../../core/source/source-name.ts';
import { ownerInWords, takeOver } from '../../source/take-over.ts';
import { withContext } from '../../context.ts';
import { actor, printJson, printLine } from '../../terminal/output.ts';

interface TakeOverOptions {
  readonly from?: string;
  readonly fromPushed?: boolean;
  readonly sensor?: readonly string[];
  readonly organisation?: string;
  readonly json?: boolean;
}

/** `source take-over`. */
export async function sourceTakeOver(name: string, options: TakeOverOptions): Promise<void> {
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
}

function ownerOf({ from, fromPushed = false }: TakeOverOptions): { source: string } | 'pushed' {
  if (from !== undefined && !fromPushed) return { source: from };
  if (from === undefined && fromPushed) return 'pushed';
  throw configInvalid('name one present owner', 'give --from SOURCE or --from-pushed', '--from');
}
