import type { SimulatedProduct } from '../../../src/simulator/contract.ts';
import { runSimulator } from '../../../src/simulator/run.ts';
import { parseOptions } from './simulator/options.ts';
import { ThingsBoard } from './simulator/platform.ts';

export const simulatedThingsboard: SimulatedProduct = {
  platform: 'thingsboard',
  title: 'ThingsBoard',
  open: (options, clock) => new ThingsBoard(parseOptions(options), clock),
  // The password of an account is its API key, too.
  connectionOf: (url, { username, password }, _authUrl, kind) =>
    kind === 'custom' ? { url, apiKey: password } : { url, username, password },
  sourceOptions: { sensorId: 'name' },
  holds: ['boolean', 'text', 'json', 'null', 'NaN'],
  pagesOf: (cap) => ({ source: { pageLimit: cap } }),
  seriesOf: ({ id, name }, key) => ({ group: id, sensorId: name, valueName: key.name }),
};

if (import.meta.main) await runSimulator(simulatedThingsboard);
