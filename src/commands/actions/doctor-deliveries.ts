import { counted } from '../../core/counted.ts';
import { formatInstant } from '../../core/instant.ts';
import type { IngestionLine } from '../../delivery/remote.ts';
import { short } from '../../terminal/words.ts';

/** The result of one check. `failed` needs an operator now, `warning` later. */
export interface Check {
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'failed';
  readonly detail: string;
  readonly remedy?: string;
}

/** A check for each project whose delivery is hindered; where none is, one check for all projects that are pushed. */
export function* deliveryChecks(lines: readonly IngestionLine[]): Generator<Check> {
  const pushed = lines.filter(({ ingestion }) => ingestion === 'push');
  const hindered = pushed.filter(
    ({ state, fullSince, fault }) => state === 'stopped' || fullSince !== null || fault !== null,
  );
  if (pushed.length > 0 && hindered.length === 0) {
    const waiting = pushed.reduce((sum, line) => sum + (line.waiting ?? 0), 0);
    yield {
      check: 'delivery',
      state: 'ok',
      detail: `${counted(pushed.length, 'project')}, ${counted(waiting, 'reading')} in the outbox`,
    };
  }
  for (const line of hindered) yield deliveryCheck(line);
}

function deliveryCheck({ project, state, fullSince, fault, waiting, url }: IngestionLine): Check {
  const because = fault === null ? '' : `: ${short(fault.message, 160)}`;
  const full =
    fullSince === null ? '' : `, which is full since ${formatInstant(fullSince)}, so no source of the project is asked`;
  return {
    check: 'delivery',
    state: state === 'stopped' || fullSince !== null ? 'failed' : 'warning',
    detail: `${project}: ${state === 'stopped' ? 'stopped' : 'waits'}, ${counted(waiting ?? 0, 'reading')} in the outbox${full}${because}`,
    remedy: fault?.remedy ?? `check the service at ${url}; databridge ingestion list shows what waits`,
  };
}
