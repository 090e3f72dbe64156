import { setFlagsFromString } from 'node:v8';

/**
 * For processes that poll: what a poll leaves behind lives just long enough to be taken for lasting, and V8 lets that grow
 * to a multiple of what is really in use before it looks. Half as much again keeps a worker within half of the memory,
 * for a few percent of its time (`npm run bench`: schedule and pull).
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--heap-growing-percent=50');
}
