// Generated from the registry by `npm run generate`.
import type { SimulatedProduct } from '../src/simulator/contract.ts';
import { simulatedAvevaDataHub } from './platforms/aveva-data-hub/simulator.ts';
import { simulatedCanary } from './platforms/canary/simulator.ts';
import { simulatedCognite } from './platforms/cognite/simulator.ts';
import { simulatedEveractive } from './platforms/everactive/simulator.ts';
import { simulatedHttpJson } from './platforms/http-json/simulator.ts';
import { simulatedInfluxdb } from './platforms/influxdb/simulator.ts';
import { simulatedInsightsHub } from './platforms/insights-hub/simulator.ts';
import { simulatedPiWebApi } from './platforms/pi-web-api/simulator.ts';
import { simulatedSkfObserver } from './platforms/skf-observer/simulator.ts';
import { simulatedThingsboard } from './platforms/thingsboard/simulator.ts';

/** The simulator of each platform in the registry, in its order. */
export const simulators: readonly SimulatedProduct[] = [
  simulatedAvevaDataHub,
  simulatedCanary,
  simulatedCognite,
  simulatedEveractive,
  simulatedHttpJson,
  simulatedInfluxdb,
  simulatedInsightsHub,
  simulatedPiWebApi,
  simulatedSkfObserver,
  simulatedThingsboard,
];
