import { REQUEST_KINDS } from '../../core/request-counts.ts';
import type { HourOfRequests } from '../../core/request-counts.ts';
import { grouped } from '../../terminal/words.ts';

/** The requests of the last hour against the pace; `allowed` is null where the pace is not known. */
export function hourInWords(hour: HourOfRequests, allowed: number | null): string {
  const limit = allowed === null ? '' : ` of ${grouped(allowed)} allowed`;
  const kinds = REQUEST_KINDS.filter((kind) => hour[kind] > 0).map((kind) => `${kind} ${grouped(hour[kind])}`);
  const words = [
    `${grouped(hour.all)}${limit}`,
    ...(kinds.length === 0 ? [] : [kinds.join(', ')]),
    ...(hour.failed === 0 ? [] : [`${grouped(hour.failed)} failed`]),
    ...(hour.all === 0 ? [] : [`at most ${grouped(hour.fullestMinute)} in a minute`]),
  ];
  return `requests in the last hour: ${words.join('; ')}`;
}
