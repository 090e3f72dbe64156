import { deliveryFindings } from '../../alerts/delivery-findings.ts';
import type { Check } from '../../alerts/judgement.ts';
import { counted } from '../../core/counted.ts';
import type { IngestionLine } from '../../delivery/remote.ts';

/** A check for each project whose delivery is hindered; where none is, one check for all projects that are pushed. */
export function* deliveryChecks(
  lines: readonly IngestionLine[],
  limits: Parameters<typeof deliveryFindings>[1],
): Generator<Check> {
  const pushed = lines.filter(({ ingestion }) => ingestion === 'push');
  const hindered = deliveryFindings(pushed, limits);
  if (pushed.length > 0 && hindered.length === 0) {
    const waiting = pushed.reduce((sum, line) => sum + (line.waiting ?? 0), 0);
    yield {
      check: 'delivery',
      state: 'ok',
      detail: `${counted(pushed.length, 'project')}, ${counted(waiting, 'reading')} in the outbox`,
    };
  }
  yield* hindered;
}
