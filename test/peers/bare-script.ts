import { join } from 'node:path';
import { plainHistory, plainPolls } from './plain.ts';
import type { Start } from './plain.ts';
import type { Peer } from './peer.ts';

const start: Start = (env) =>
  Promise.resolve({
    name: 'bare script',
    command: process.execPath,
    args: [join(import.meta.dirname, 'script.ts')],
    env,
    ready: (running) => running.output().includes('begins'),
  });

export const bareScript: Peer = {
  name: 'bare script',
  version: `Node.js ${process.version}`,
  setup: '`test/peers/script.ts`: keep-alive, batches, a key against doubles, goes on behind its newest row',
  history: (job) => plainHistory(job, start),
  polls: (job) => plainPolls(job, start),
  close: () => Promise.resolve(),
};
