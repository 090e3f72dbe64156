import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { formatDuration } from '../core/duration.ts';
import type { ServedSimulator } from '../simulator/serve.ts';
import { BURST, OVERLAP } from './plants.ts';
import type { Plant } from './plants.ts';

/** A plant whose simulator listens, and its only account. */
export interface RunningPlant {
  readonly plant: Plant;
  readonly simulator: ServedSimulator;
  readonly account: { readonly username: string; readonly password: string };
}

/** The ML project that all readings of the demo go to. */
export const PROJECT = 'demo';

/** How far back the sources begin, and how old a point must be to be asked for. */
const START = '2d';
const SETTLE = '2s';

/** Writes a plant's source as an operator would, the password in a separate file; returns the path of the YAML. */
export async function writeSource({ plant, simulator, account }: RunningPlant, home: string): Promise<string> {
  const [sources, secrets] = [join(home, 'sources'), join(home, 'secrets')];
  await mkdir(sources, { recursive: true });
  await mkdir(secrets, { recursive: true });
  const password = join(secrets, plant.name);
  await writeFile(password, account.password, { mode: 0o600 });
  const path = join(sources, `${plant.name}.yaml`);
  const source = {
    name: plant.name,
    project: PROJECT,
    kind: 'user-credentials',
    platform: plant.product.platform,
    connection: {
      url: `${simulator.url}${plant.product.path ?? ''}`,
      username: account.username,
      password: `\${file:${password}}`,
    },
    options: plant.product.sourceOptions,
    schedule: {
      every: plant.every,
      start: START,
      settle: SETTLE,
      overlap: formatDuration(OVERLAP),
      maxWindow: plant.maxWindow,
    },
    pace: { requestsPerSecond: plant.requestsPerSecond, burst: BURST, concurrency: 1 },
  };
  await writeFile(path, `# A simulated plant of the demo: ${plant.about}.\n${stringify(source)}`);
  return path;
}
