import { findSource } from '../../source/find-source.ts';
import { refusalsOf } from '../../source/refusals.ts';
import { withContext } from '../../context.ts';
import { printRefusals } from './refusals.ts';

/** `source refusals`. */
export async function sourceRefusals(
  name: string,
  options: { organisation?: string; reason?: string; limit: number; json?: boolean },
): Promise<void> {
  const refusals = await withContext({ patient: false }, async ({ database }) => {
    const { id } = await findSource(database, { name, organisation: options.organisation });
    return await refusalsOf(database, { sourceId: id, reason: options.reason, limit: options.limit });
  });
  printRefusals(refusals, options.json ?? false);
}
