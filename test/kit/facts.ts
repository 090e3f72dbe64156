import { MICROSECOND } from '../../src/core/instant.ts';
import type { PlatformFacts } from '../../src/platform/contract.ts';

/** The facts of a platform that answers exactly what it is asked, in one piece. A test platform adds its own. */
export const exactFacts: Pick<PlatformFacts, 'bounds' | 'resolution' | 'order' | 'page' | 'sameInstant' | 'failsAs'> = {
  bounds: { from: 'inclusive', to: 'exclusive' },
  resolution: MICROSECOND,
  order: 'ascending',
  page: { cap: Infinity, more: 'none' },
  sameInstant: 'one',
  failsAs: 'status',
};
