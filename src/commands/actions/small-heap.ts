import { setFlagsFromString } from 'node:v8';

/**
 * V8 takes the remains of polls for lasting objects and lets the heap grow to a multiple of its use. Growing by half only,
 * a worker needs half of the memory and a few percent more time (`npm run bench`: schedule and pull). The same holds for
 * the bodies of an API.
 */
export const keepHeapSmall = (): void => {
  setFlagsFromString('--heap-growing-percent=50');
};
