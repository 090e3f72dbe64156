import { findSource } from '../../source/find-source.ts';
import { refusalsDocument } from '../../core/kept-refusals.ts';
import type { RefusalReason } from '../../core/reading.ts';
import { refusalsOf } from '../../source/refusals.ts';
import { withContext } from '../../context.ts';
import { printJson, printLine } from '../../terminal/output.ts';
import { grouped, wrapped } from '../../terminal/words.ts';
import { resemblingDocument, resemblingIn } from '../../source/held-names.ts';
import { printResembling } from './held-resembling.ts';
import { boundsOf, printRefusalSums } from './refusal-sums.ts';

interface Options {
  readonly organisation?: string;
  readonly reason?: RefusalReason;
  readonly sensor?: string;
  readonly from?: string;
  readonly to?: string;
  readonly limit: number;
  readonly json?: boolean;
}

/** `source refusals`. */
export async function sourceRefusals(name: string, options: Options): Promise<void> {
  const { held, ...refusals } = await withContext(async ({ database, clock }) => {
    const { id: sourceId } = await findSource(database, { name, organisation: options.organisation });
    const { reason, sensor } = options;
    const bounds = boundsOf(options, clock.now());
    const found = await refusalsOf(database, { sourceId, reason, sensor, ...bounds }, options.limit);
    return { ...found, held: await resemblingIn(database, found, { sourceId }) };
  });
  if (options.json)
    printJson({ ...refusalsDocument(refusals, 'operator'), ...resemblingDocument(held), undated: refusals.undated });
  else {
    printRefusalSums(refusals, 'operator');
    printResembling(held);
    if (refusals.undated > 0) {
      printLine(
        `\n${wrapped(`${grouped(refusals.undated)} more points are counted without their sensor and instant. An earlier version counted them, or they are the oldest of very many. They are forgotten with the old logs.`)}`,
      );
    }
  }
}
