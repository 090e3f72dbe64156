import type { Client } from 'pg';
import { startProxy } from '../kit/proxy.ts';
import type { Proxy } from '../kit/proxy.ts';
import { differencesOf } from '../kit/point.ts';
import type { Difference, Point } from '../kit/point.ts';
import { startSimulator } from '../kit/simulator.ts';
import type { RunningSimulator } from '../kit/simulator.ts';
import type { RecordedRequest } from '../../src/simulator/recorder.ts';
import type { AccountOptions, ThingsBoardOptions } from '../../adapters/platforms/thingsboard/simulator/options.ts';
import { truth } from '../../src/simulator/truth.ts';
import type { DeviceSpec, TruthSpec } from '../../src/simulator/truth.ts';

export const HOUR_MS = 3_600_000;

/** An account with a unique password, so that a test can look for it in logs and in the database. */
export const ACCOUNT: AccountOptions = {
  username: 'bridge@plant.test',
  password: 'pa55-of-the-pl4nt/+&',
  authority: 'TENANT_ADMIN',
};

/** A device with numbers: a point every `everyMs` of each key. */
export const device = (number: number, everyMs = 1_000, keys = ['flow', 'temperature']): DeviceSpec => ({
  id: `00000000-0000-4000-8000-${number.toString(16).padStart(12, '0')}`,
  name: `pump-${number}`,
  keys: keys.map((name) => ({ name, kind: 'number', everyMs })),
});

/** A plant that began `hours` ago and goes on: each future point shows up at its own instant. */
export function livingPlant(devices: readonly DeviceSpec[], hours = 2, more: Partial<TruthSpec> = {}): TruthSpec {
  const nowMs = Math.floor(Date.now() / 1000) * 1000;
  return { seed: 7, firstMs: nowMs - hours * HOUR_MS, liveFromMs: nowMs, devices, ...more };
}

/** ThingsBoard at an address that stays the same when another server replaces the server behind it. */
export interface Plant {
  readonly url: string;
  readonly proxy: Proxy;
  simulator(): RunningSimulator;
  /** Ends the server and starts another server, with other data, accounts and tokens. */
  replace(options: Partial<ThingsBoardOptions>): Promise<void>;
  /** The requests to all servers so far, in order. */
  log(): Promise<RecordedRequest[]>;
  stop(): Promise<void>;
}

export async function startPlant(options: Partial<ThingsBoardOptions>): Promise<Plant> {
  const given = { accounts: [ACCOUNT], ...options };
  const start = (): Promise<RunningSimulator> => startSimulator({ name: 'thingsboard', ...given });
  const portOf = ({ url }: RunningSimulator): number => Number(new URL(url).port);
  let running = await start();
  const target = { port: portOf(running) };
  const proxy = await startProxy(target);
  const past: RecordedRequest[] = [];
  return {
    url: `http://127.0.0.1:${proxy.port}`,
    proxy,
    simulator: () => running,
    async replace(changes) {
      const before = running;
      running = await startSimulator({ name: 'thingsboard', ...Object.assign(given, changes) });
      target.port = portOf(running);
      proxy.reset();
      past.push(...(await before.log()));
      await before.stop();
    },
    log: async () => [...past, ...(await running.log())],
    async stop() {
      await proxy.close();
      await running.stop();
    },
  };
}

/** A source of a plant with a schedule and a pace for tests; `more` replaces whole fields. */
export const thingsboard = (
  name: string,
  url: string,
  more: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> => ({
  name,
  project: 'hall',
  kind: 'user-credentials',
  platform: 'thingsboard',
  connection: { url, username: ACCOUNT.username, password: ACCOUNT.password },
  schedule: { every: '1s', start: '2h', settle: '1s', overlap: '0s' },
  pace: { requestsPerSecond: 50, burst: 10, concurrency: 2 },
  ...more,
});

/** A request for readings of a device. Both bounds in milliseconds, as the bridge sent them. */
export interface DataRequest extends RecordedRequest {
  readonly device: string;
  readonly fromMs: number;
  readonly toMs: number;
}

export function dataRequests(log: readonly RecordedRequest[]): DataRequest[] {
  return log.flatMap((request) => {
    const found = /DEVICE\/([^/]+)\/values\/timeseries/.exec(request.path)?.[1];
    if (found === undefined) return [];
    const query = new URLSearchParams(request.query);
    return [{ ...request, device: found, fromMs: Number(query.get('startTs')), toMs: Number(query.get('endTs')) }];
  });
}

/**
 * Compares the readings of some devices in `[fromMs, toMs)` with their truth, point for point. Only numbers become
 * readings; `expected` may change a point that a fault replaced, or leave it out.
 */
export async function differences(
  client: Client,
  spec: TruthSpec,
  given: {
    readonly fromMs: number;
    readonly toMs: number;
    readonly project?: string;
    readonly devices?: readonly DeviceSpec[];
    readonly expected?: (point: Point) => Point | undefined;
  },
): Promise<Difference> {
  const { fromMs, toMs, devices = spec.devices, project = 'hall', expected = (point) => point } = given;
  const wanted: Point[] = [];
  for (const { id, keys } of devices) {
    for (const { name } of keys) {
      for (const { ts, value } of truth(spec, id, name, Math.ceil(fromMs), toMs)) {
        if (typeof value !== 'number') continue;
        const point = expected({ measurement: id, tags: {}, field: name, at: ts * 1000, value });
        if (point) wanted.push(point);
      }
    }
  }
  const { rows } = await client.query<{ measurement: string; field: string; at: string; value: number }>(
    `select sensor_id as measurement, value_name as field, instant_of(at)::text as at, value
     from reading join series on series.id = reading.series join ml_project on ml_project.id = project_id
     where code = $1 and sensor_id = any($2) and at >= at_instant($3) and at < at_instant($4)`,
    [project, devices.map(({ id }) => id), Math.round(fromMs * 1000), Math.round(toMs * 1000)],
  );
  return differencesOf(
    wanted,
    rows.map((row) => ({ ...row, tags: {}, at: Number(row.at) })),
  );
}

/** The `differences` of two equal sets of points. */
export const NONE: Difference = { missing: 0, unexpected: 0, changed: 0, repeated: 0, examples: [] };
