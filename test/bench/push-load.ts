import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Instant } from '../../src/core/instant.ts';

/** The task of `pushing-plant.ts`. */
export type Load = BatchLoad | PostLoad | TokenLoad | InsertLoad;

interface OfApi {
  /** The address of the API, and the path of the endpoint. */
  readonly url: string;
  readonly path: string;
  readonly connections: number;
}

/** The readings of `pushDatasetOf(points)`, once. */
export interface BatchLoad extends OfApi {
  readonly kind: 'batches';
  readonly token: string;
  readonly points: number;
  readonly gzip: boolean;
}

/** Bodies of one reading, the first of each connection at `from`. */
export interface PostLoad extends OfApi {
  readonly kind: 'posts';
  readonly token: string;
  readonly from: Instant;
  readonly warmUpSeconds: number;
  readonly seconds: number;
}

export interface TokenLoad extends OfApi {
  readonly kind: 'create' | 'renew';
  /** The header `Authorization` of the application. */
  readonly basic: string;
  readonly warmUpSeconds: number;
  readonly seconds: number;
}

/** Rows into `reading` without a bridge; each row is a commit, each client has its own series. */
export interface InsertLoad {
  readonly kind: 'inserts';
  readonly databaseUrl: string;
  readonly clients: number;
  readonly firstSeries: number;
  readonly from: Instant;
  readonly warmUpSeconds: number;
  readonly seconds: number;
}

/** The measures of a load. */
export interface Loaded {
  readonly seconds: number;
  readonly answers: number;
  /** During the warm-up, before `seconds` began. */
  readonly answersBefore: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Starts a process that prepares a load, calls `begin`, and waits for the answers to the whole load. */
export async function sendLoad(load: Load, begin: () => void = () => undefined): Promise<Loaded> {
  const path = fileURLToPath(new URL('pushing-plant.ts', import.meta.url));
  const child = spawn(process.execPath, [path, JSON.stringify(load)], { stdio: ['pipe', 'pipe', 'inherit'] });
  const gone = once(child, 'exit');
  const early = gone.then(([code]) => Promise.reject(new Error(`pushing-plant.ts ended with ${code} before its time`)));
  early.catch(() => undefined);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  await Promise.race([lines.next(), early]);
  begin();
  child.stdin.write('go\n');
  const last = await Promise.race([lines.next(), early]);
  child.stdin.end();
  await gone;
  return JSON.parse(String(last.value)) as Loaded;
}
