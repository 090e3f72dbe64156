export type {
  PushGrant,
  PushGrantStore,
  PushAnswer,
  PushClient,
  PushClientOptions,
  PushFetch,
  Reading,
  RefusedReading,
  Remote,
} from './contract.ts';
export { PushError } from './fault.ts';
export type { PushFault, PushProblem } from './fault.ts';
export { openPushClient } from './open.ts';
