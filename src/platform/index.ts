/**
 * Everything with which a platform is written outside of this repository: `import { … } from 'databridge/platform'`. The bridge
 * that loads the adapter gives it this module, so both have the same one. adapters/README.md is the guide.
 */
export { z } from 'zod';
export {
  BridgeError,
  configInvalid,
  contractBroken,
  credentialsRejected,
  rightMissing,
  throttled,
  tooCostly,
  tooMuch,
  tooMuchAtOnce,
  unsupported,
} from '../core/errors.ts';
export type { Fault, FaultCode } from '../core/errors.ts';
export {
  DAY,
  HOUR,
  MICROSECOND,
  MILLISECOND,
  MINUTE,
  SECOND,
  formatInstant,
  formatLocal,
  fromMillis,
  parseInstant,
  parseLocal,
} from '../core/instant.ts';
export type { Instant, Microseconds } from '../core/instant.ts';
export type { Quality, QualityTable } from '../core/quality.ts';
export { state } from '../core/samples.ts';
export { baseUrl, duration, secret, text, zone } from '../core/source/fields.ts';
export type { Window } from '../core/window.ts';
export { answer } from './answer.ts';
export { apiKey, bearer } from './authorisation/api-key.ts';
export { basic } from './authorisation/basic.ts';
export { loginToken } from './authorisation/login-token.ts';
export { oauth2Client, oauth2Password } from './authorisation/oauth2-client.ts';
export { definePlatform } from './contract.ts';
export type {
  Authorisation,
  Credentials,
  FailedSensor,
  Grant,
  Http,
  KindName,
  KnownVariable,
  LoginContext,
  Platform,
  PlatformFacts,
  Samples,
  Selection,
  Sensor,
} from './contract.ts';
export { byCursor, byLink, byOffset, byTime } from './paging.ts';
