import { formatInstant } from '../core/instant.ts';
import type { IngestionLine } from '../delivery/remote.ts';
import { short } from '../terminal/words.ts';

/** One thing a doctor looks at. `failed` needs somebody now, `warning` some day. */
export interface Check {
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'failed';
  readonly detail: string;
  readonly remedy?: string;
}

/** What hinders the readings of projects that are pushed elsewhere; one line where nothing does. */
export function* deliveryChecks(lines: readonly IngestionLine[]): Generator<Check> {
  const pushed = lines.filter(({ ingestion }) => ingestion === 'push');
  const hindered = pushed.filter(
    ({ state, fullSince, fault }) => state === 'stopped' || fullSince !== null || fault !== null,
  );
  if (pushed.length > 0 && hindered.length === 0) {
    const waiting = pushed.reduce((sum, line) => sum + (line.waiting ?? 0), 0);
    yield { check: 'delivery', state: 'ok', detail: `${pushed.length} projects, ${waiting} readings on their way` };
  }
  for (const line of hindered) yield deliveryCheck(line);
}

function deliveryCheck({ project, state, fullSince, fault, waiting, url }: IngestionLine): Check {
  const because = fault === null ? '' : `: ${short(fault.message, 160)}`;
  const full = fullSince === null ? '' : `, full since ${formatInstant(fullSince)}: its sources are not asked`;
  return {
    check: 'delivery',
    state: state === 'stopped' || fullSince !== null ? 'failed' : 'warning',
    detail: `${project}: ${state === 'stopped' ? 'stopped' : 'waits'}, ${waiting} readings are kept${full}${because}`,
    remedy: fault?.remedy ?? `look after ${url}; databridge ingestion list shows how it goes on`,
  };
}
