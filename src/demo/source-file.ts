import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { kinds } from '../../adapters/kinds.ts';
import { formatDuration } from '../core/duration.ts';
import { DAY } from '../core/instant.ts';
import { schemaKeys } from '../core/source/shape.ts';
import { KEYS_PATH } from '../simulator/authorisation-server.ts';
import { connectionOf } from '../simulator/connection.ts';
import type { SimulatedAccount } from '../simulator/contract.ts';
import type { RecordedRequest } from '../simulator/recorder.ts';
import type { ServedSimulator } from '../simulator/serve.ts';
import { BURST, OVERLAP } from './plants.ts';
import type { Plant } from './plants.ts';

/** A plant whose simulator listens, and its only account. */
export interface RunningPlant {
  readonly plant: Plant;
  readonly simulator: ServedSimulator;
  /** The server that gives its tokens, where that is another one. */
  readonly authorisation: ServedSimulator | undefined;
  readonly account: SimulatedAccount;
}

/** The requests of the bridge to both servers; the keys of the authorisation server are asked for by the platform. */
export const requestsTo = ({ simulator, authorisation }: RunningPlant): RecordedRequest[] => [
  ...simulator.recorder.log(),
  ...(authorisation?.recorder.log().filter(({ path }) => path !== KEYS_PATH) ?? []),
];

/** The ML project that all readings of the demo go to. */
export const PROJECT = 'demo';

/** How far back the sources begin, and how old a point must be to be asked for. */
export const START = 2 * DAY;
const SETTLE = '2s';

/** A plant's source as its file has it; `password` is the secret, or a reference to it. */
export function plantSource({ plant, account, simulator, authorisation }: RunningPlant, password: string) {
  const { product, kind } = plant;
  const urls = { url: `${simulator.url}${product.path ?? ''}`, authUrl: authorisation?.url ?? simulator.url };
  return {
    name: plant.name,
    project: PROJECT,
    kind,
    platform: product.platform,
    connection: connectionOf(product, { kind, fields: schemaKeys(kinds[kind]) }, { ...account, password }, urls),
    options: product.sourceOptions,
    schedule: {
      every: plant.every,
      start: formatDuration(START),
      settle: SETTLE,
      overlap: formatDuration(OVERLAP),
      maxWindow: plant.maxWindow,
    },
    pace: { requestsPerSecond: plant.requestsPerSecond, burst: BURST, concurrency: 1 },
  };
}

/** Writes a plant's source as an operator would, the secret in a separate file; returns the path of the YAML. */
export async function writeSource(running: RunningPlant, home: string): Promise<string> {
  const { plant, account } = running;
  const [sources, secrets] = [join(home, 'sources'), join(home, 'secrets')];
  await mkdir(sources, { recursive: true });
  await mkdir(secrets, { recursive: true });
  const secret = join(secrets, plant.name);
  await writeFile(secret, account.password, { mode: 0o600 });
  const path = join(sources, `${plant.name}.yaml`);
  const source = plantSource(running, `\${file:${secret}}`);
  await writeFile(path, `# A simulated plant of the demo: ${plant.about}.\n${stringify(source)}`);
  return path;
}
