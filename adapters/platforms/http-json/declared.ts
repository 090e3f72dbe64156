import { MINUTE, SECOND } from '../../../src/core/instant.ts';
import type { Declaration, PlatformFacts } from '../../../src/platform/contract.ts';
import type { HttpJsonSettings } from './options.ts';
import { authorisationOf } from './sign.ts';

const MORE = {
  none: 'none',
  link: 'link',
  cursor: 'cursor',
  offset: 'offset',
  page: 'offset',
  time: 'full-page',
} as const;

const BOUND = { '[': 'inclusive', ']': 'inclusive', '(': 'exclusive', ')': 'exclusive' } as const;

/** Ours: the operator chooses others by `pace` and `schedule`. */
export const OURS = {
  pace: { requestsPerSecond: 1, burst: 2, concurrency: 1 },
  lateness: 10 * SECOND,
  overlap: 5 * MINUTE,
  namesVariables: false,
} as const;

/** What the options declare of the platform: its facts and its authorisation. */
export function declaredBy(options: HttpJsonSettings): Declaration<HttpJsonSettings> {
  return {
    facts: factsOf(options),
    kinds: { custom: authorisationOf(options.authorisation) },
  };
}

function factsOf({ exactness, paging, sensors, times }: HttpJsonSettings): PlatformFacts {
  const { bounds, resolution, order, sameInstant, failsAs, quality, longestWindow, cap } = exactness;
  const [from, to] = [bounds[0] as keyof typeof BOUND, bounds[1] as keyof typeof BOUND];
  const isCut = cap !== 'none';
  return {
    ...OURS,
    bounds: bounds === 'unknown' ? { from: 'unknown', to: 'unknown' } : { from: BOUND[from], to: BOUND[to] },
    resolution,
    order,
    page: { cap: isCut ? cap : Infinity, more: isCut && paging.by === 'none' ? 'full-page' : MORE[paging.by] },
    sameInstant,
    failsAs,
    ...(quality === undefined ? {} : { quality }),
    ...(times.write === 'local' ? { localTime: true as const } : {}),
    maxWindow: longestWindow,
    minWindow: Math.min(resolution, longestWindow),
    sensorsPerRead: sensors.perRequest,
    overlap: Math.min(OURS.overlap, longestWindow),
  };
}

/** The same question in about three pages; none where the platform is not told a size, or has no smaller one. */
export function otherPages(options: HttpJsonSettings, points: number): readonly HttpJsonSettings[] {
  const { size } = options.paging;
  if (size === undefined) return [];
  const smaller = Math.max(2, Math.min(Math.ceil(points / 3), Math.floor(size / 2)));
  return smaller < size ? [{ ...options, paging: { ...options.paging, size: smaller } }] : [];
}
