import { thingsboard } from '../../adapters/platforms/thingsboard/index.ts';
import type { ThingsBoardSettings } from '../../adapters/platforms/thingsboard/options.ts';
import type { Instant } from '../../src/core/instant.ts';
import { questionFor } from '../../src/core/question.ts';
import { holds } from '../../src/core/window.ts';
import type { Window } from '../../src/core/window.ts';
import type { Authorisation, Http, Sensor } from '../../src/platform/contract.ts';
import { memoryAccount, memoryTokens, newMeter, openConnection } from '../../src/platform/connection/index.ts';
import type { Connection } from '../../src/platform/connection/index.ts';
import { truth } from '../../src/simulator/truth.ts';
import type { TruthSpec } from '../../src/simulator/truth.ts';
import { wellRead } from '../kit/well-read.ts';
import { tenant } from './simulators/thingsboard-client.ts';

const open: Connection[] = [];

/** Gives every request a slot at once, because these tests are not about the pace. */
const freePacer = {
  slot: () => Promise.resolve({ inDoubt: true, release: () => undefined }),
  hold: () => Promise.resolve(),
};

/** The bridge's own connection to the simulator, with tokens of its own. `now` is the bridge's clock. */
export function connect(url: string, account = tenant, now: () => Instant = () => Date.now() * 1000): Http {
  const connection = openConnection(
    {
      baseUrl: url,
      credentials: { url, ...account },
      authorisation: thingsboard.kinds['user-credentials'] as Authorisation,
      allowHosts: undefined,
    },
    { pacer: freePacer, tokens: memoryTokens(), account: memoryAccount(), now, userAgent: 'databridge-test' },
  );
  open.push(connection);
  return connection.http({ lane: 'live', signal: new AbortController().signal, meter: newMeter() });
}

/** For `afterAll`: closes every connection `connect` opened. */
export async function disconnect(): Promise<void> {
  await Promise.all(open.splice(0).map((connection) => connection.close()));
}

/** The parsed options of a source. */
export const optionsOf = (given: Partial<ThingsBoardSettings> = {}): unknown => thingsboard.options.parse(given);

/** Points by key: `[µs, value]`, as `read` yields them. */
export type Found = Record<string, [at: number, value: unknown][]>;

/** All points that `read` yields for all keys of one device, asked as the bridge asks. */
export async function readAll(
  http: Http,
  given: Partial<ThingsBoardSettings>,
  device: string,
  window: Window,
): Promise<Found> {
  const selection = { group: device, sensors: [device], variables: undefined };
  const question = questionFor(window, thingsboard.facts);
  const found: Found = {};
  const read = wellRead(thingsboard.read(http, optionsOf(given), selection, question));
  for await (const { sensor, variable, at, values } of read) {
    if (sensor !== device) throw new Error(`read another sensor: ${sensor}`);
    (found[variable] ??= []).push(...at.map((instant, index): [number, unknown] => [instant, values[index]]));
  }
  return found;
}

/** The sensors that discovery finds: all, or those of the ids. */
export async function sensorsOf(
  http: Http,
  given: Partial<ThingsBoardSettings> = {},
  ids?: readonly string[],
): Promise<Sensor[]> {
  const found: Sensor[] = [];
  const options = optionsOf(given);
  const shown = ids === undefined ? thingsboard.sensors(http, options) : thingsboard.find?.(http, options, ids);
  for await (const sensor of shown ?? []) found.push(sensor);
  return found;
}

/** The points that the bridge keeps: those in the window. */
export const kept = (found: Found, window: Window): Found =>
  Object.fromEntries(
    Object.entries(found)
      .map(([key, points]): [string, Found[string]] => [key, points.filter(([at]) => holds(window, at))])
      .filter(([, points]) => points.length > 0),
  );

/** The true points of a device in a window; they lie on whole milliseconds. */
export function truthOf(spec: TruthSpec, deviceId: string, window: Window): Found {
  const keys = spec.devices.find(({ id }) => id === deviceId)?.keys ?? [];
  const range = [Math.ceil(window.from / 1000), Math.ceil(window.to / 1000)] as const;
  const found = keys.map(({ name }): [string, Found[string]] => [
    name,
    truth(spec, deviceId, name, ...range).map(({ ts, value }) => [ts * 1000, value]),
  ]);
  return Object.fromEntries(found.filter(([, points]) => points.length > 0));
}
