import { expect, test } from 'vitest';
import { authorisationServer } from '../simulator/authorisation-server.ts';
import { SimulatedClock } from '../simulator/clock.ts';
import { serve } from '../simulator/serve.ts';
import { demoPlants } from './plants.ts';
import type { Plant } from './plants.ts';
import { requestsTo } from './source-file.ts';

test('the requests to both servers count, except those by which the platform gets the keys', async () => {
  const clock = new SimulatedClock();
  const account = { username: 'bridge', password: 'of the test' };
  const open = () => serve(authorisationServer({ accounts: [account] }, clock), clock);
  const [simulator, authorisation] = [await open(), await open()];
  const [plant] = demoPlants({ lies: false }) as [Plant, ...Plant[]];
  for (const address of [`${simulator.url}/a`, `${authorisation.url}/token`, `${authorisation.url}/jwks`]) {
    await fetch(address, { headers: { connection: 'close' } });
  }
  const asked = requestsTo({ plant, account, simulator, authorisation });
  expect(asked.map(({ path }) => path)).toEqual(['/a', '/token']);
  expect(requestsTo({ plant, account, simulator, authorisation: undefined })).toHaveLength(1);
  await simulator.close();
  await authorisation.close();
});
