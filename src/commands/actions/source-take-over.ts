import { argumentsOf, titleOf } from '../../core/source/source-name.ts';
import { ownerInWords, ownerNamed, takeOver, takeOverDocument } from '../../source/take-over.ts';
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
  const from = ownerNamed(options);
  const wanted = { source: { name, organisation: options.organisation }, from, sensors: options.sensor };
  const taken = await withContext(({ database }) => takeOver(database, wanted, actor()));
  const document = takeOverDocument(taken, from);
  if (options.json) return printJson(document);
  const { source, series } = taken;
  printLine(`source ${titleOf(source)} took over ${series} series from ${ownerInWords({ owner: document.from })}`);
  printLine(
    `  databridge backfill start ${argumentsOf(source)} --what refused --from TIME reads points that were refused before`,
  );
}
