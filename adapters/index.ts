import type { KindSchemas } from '../src/core/source/source.ts';
import type { KindName, Platform } from '../src/platform/contract.ts';
import { clientCredentials } from './kinds/client-credentials.ts';
import { custom } from './kinds/custom.ts';
import { historian } from './kinds/historian.ts';
import { separateAuthServer } from './kinds/separate-auth-server.ts';
import { userCredentials } from './kinds/user-credentials.ts';
import { avevaDataHub } from './platforms/aveva-data-hub/index.ts';
import { canary } from './platforms/canary/index.ts';
import { cognite } from './platforms/cognite/index.ts';
import { everactive } from './platforms/everactive/index.ts';
import { httpJson } from './platforms/http-json/index.ts';
import { influxdb } from './platforms/influxdb/index.ts';
import { insightsHub } from './platforms/insights-hub/index.ts';
import { piWebApi } from './platforms/pi-web-api/index.ts';
import { skfObserver } from './platforms/skf-observer/index.ts';
import { thingsboard } from './platforms/thingsboard/index.ts';

/** The registry: one line for each platform. */
export const platforms: readonly Platform[] = [
  avevaDataHub, //
  canary,
  cognite,
  everactive,
  httpJson,
  influxdb,
  insightsHub,
  piWebApi,
  skfObserver,
  thingsboard,
];

/** The schema of the `connection` fields of each kind. */
export const kinds: KindSchemas<KindName> = {
  'user-credentials': userCredentials,
  'client-credentials': clientCredentials,
  'separate-auth-server': separateAuthServer,
  historian,
  custom,
};
