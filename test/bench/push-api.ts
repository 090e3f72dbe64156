import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { createApplication } from '../../src/access/applications.ts';
import { startProcess } from '../kit/process.ts';
import type { RunningProcess } from '../kit/process.ts';
import { connectTo, requestOf } from './push-connection.ts';
import type { BenchOptions } from './bench.ts';
import type { Rig, Room } from './rig.ts';
import { forgetPeak, machine, usageOf } from './usage.ts';

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

export const DATA_PATH = '/v0/organisations/default/data/bench';
export const TOKEN_PATH = '/v0/oauth2/token';

/** `databridge api` on one port: one for each core, as operators are told, but not more than four. */
export const PROCESSES = Math.min(4, availableParallelism());

/** A new installation with `databridge api` and an application that may push to it. */
export interface BenchedApi {
  readonly room: Room;
  readonly url: string;
  /** An access token, and the header `Authorization` with which the application gets it. */
  readonly token: string;
  readonly basic: string;
  /** Starts to measure the API and the database; the function it returns ends the measurement. */
  watch(): () => Used;
  close(): Promise<void>;
}

export interface Used {
  /** Of all processes together. */
  readonly cpuSeconds: number;
  readonly databaseCpuSeconds: number;
  /** Of the largest process. */
  readonly peakRssMegabytes: number;
  /** Of the whole machine, with all other processes. */
  readonly coresBusy: number;
}

export async function openBenchedApi(rig: Rig, { profile }: Pick<BenchOptions, 'profile'>): Promise<BenchedApi> {
  const room = await rig.room();
  const { database, settings } = room.context;
  const profiling = profile === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', profile];
  const start = (port: string): Promise<RunningProcess> =>
    startProcess({
      name: 'databridge api',
      command: process.execPath,
      args: [...profiling, main, 'api'],
      env: {
        PATH: process.env['PATH'],
        DATABRIDGE_HOME: settings.home,
        DATABASE_URL: room.url,
        DATABRIDGE_OPERATOR: 'off',
        DATABRIDGE_API_PORT: port,
        DATABRIDGE_API_SHARE_PORT: 'true',
        // The bench measures how many token requests the API can answer, so the limit of a client must not count.
        DATABRIDGE_API_TOKENS_PER_MINUTE: '1000000',
      },
      ready: (running) => running.output().includes('the API is up'),
    });
  const first = await start('0');
  const url = /"url":"(http:[^"]+)"/.exec(first.output())?.[1] ?? '';
  const apis = [first];
  while (apis.length < PROCESSES) apis.push(await start(new URL(url).port));
  const credentials = await createApplication(database, { organisation: 'default', name: 'plant' }, 'bench');
  const basic = `Basic ${Buffer.from(`${credentials.applicationId}:${credentials.secret}`).toString('base64')}`;
  return {
    room,
    url,
    basic,
    token: await createToken(url, basic),
    watch() {
      for (const { pid } of apis) forgetPeak(pid);
      const busy = machine();
      const before = cpuSecondsOf(apis);
      const databaseBefore = rig.databaseCpuSeconds();
      return () => ({
        cpuSeconds: cpuSecondsOf(apis) - before,
        databaseCpuSeconds: rig.databaseCpuSeconds() - databaseBefore,
        peakRssMegabytes: Math.max(...apis.map(({ pid }) => usageOf(pid)?.peakRssBytes ?? Number.NaN)) / 1e6,
        coresBusy: busy.busySince(),
      });
    },
    async close() {
      await Promise.all(apis.map((api) => api.stop(40_000)));
      await room.close();
    },
  };
}

const cpuSecondsOf = (apis: readonly RunningProcess[]): number =>
  apis.reduce((sum, { pid }) => sum + (usageOf(pid)?.cpuSeconds ?? Number.NaN), 0);

async function createToken(url: string, basic: string): Promise<string> {
  const connection = await connectTo(url);
  const headers = { Authorization: basic, 'Content-Type': 'application/x-www-form-urlencoded' };
  const request = requestOf(TOKEN_PATH, headers, Buffer.from('grant_type=client_credentials'));
  const { body } = await connection.exchange(request);
  connection.close();
  return (JSON.parse(body) as { access_token: string }).access_token;
}
