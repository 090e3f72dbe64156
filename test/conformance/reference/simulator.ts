import { z } from 'zod';
import { jwtCheck } from '../../../src/simulator/authorisation-server.ts';
import type { SimulatedClock } from '../../../src/simulator/clock.ts';
import type { SimulatedPlatform, SimulatedProduct } from '../../../src/simulator/contract.ts';
import { distort, writeJson } from '../../../src/simulator/distort.ts';
import { isoOf, millisOf } from '../../../src/simulator/instants.ts';
import { Refused, route, simulate } from '../../../src/simulator/route.ts';
import { visiblePoints } from '../../../src/simulator/truth.ts';
import type { DeviceSpec, TruthSpec } from '../../../src/simulator/truth.ts';

const optionsSchema = z.strictObject({
  accounts: z.array(z.unknown()),
  truth: z.custom<TruthSpec>((truth) => typeof truth === 'object'),
  authUrl: z.string(),
});

const question = z.strictObject({
  ids: z.array(z.string()).min(1).max(5),
  /** Microseconds, `[from, to)`. */
  from: z.int(),
  to: z.int(),
  limit: z.int().min(1).max(40),
});

/** A key of a device is a sensor of its own. */
interface Series {
  readonly device: string;
  readonly key: string;
}

const nameOf = ({ id }: Pick<DeviceSpec, 'id'>, key: { readonly name: string }): string => `${id}.${key.name}`;

function open(given: unknown, clock: SimulatedClock): SimulatedPlatform {
  const { truth, authUrl } = optionsSchema.parse(given);
  const { check, invalidate } = jwtCheck({ authUrl }, clock);
  const nowMs = (): number => clock.nowMs();
  const series = new Map(
    truth.devices.flatMap((device) =>
      device.keys.map((key) => [nameOf(device, key), { device: device.id, key: key.name }] as const),
    ),
  );

  /** The oldest `limit` points of a sensor; the answer does not say whether there are more. */
  function pointsOf(
    { device, key }: Series,
    { from, to, limit }: z.output<typeof question>,
    effects: Parameters<typeof distort>[1],
  ) {
    const stretch = { fromMs: millisOf(from), toMs: millisOf(to) };
    const found = [...visiblePoints(truth, device, key, stretch, { nowMs: nowMs() })].slice(0, limit);
    return distort(found, effects, nowMs(), 'ASC').map(({ value, quality = 'good', ...time }) => ({
      t: isoOf(time, 7),
      v: value,
      q: quality,
    }));
  }

  const points = route({
    body: question,
    answer({ body, request }) {
      const items = body.ids.map((id) => {
        const one = series.get(id);
        const bad = request.badSensors.find(({ device }) => device === one?.device);
        if (one === undefined || bad !== undefined) return [id, { error: bad?.as ?? 'missing' }];
        return [id, { points: pointsOf(one, body, request.pointEffects) }];
      });
      return { status: 200, body: writeJson({ items: Object.fromEntries(items) as unknown }) };
    },
  });

  const list = route({
    query: z.strictObject({ page: z.coerce.number().int().min(0) }),
    answer({ query: { page } }) {
      const ids = [...series.keys()].slice(page * 50, (page + 1) * 50);
      if (page > 0 && ids.length === 0) throw new Refused(400, 'no such page');
      return { sensors: ids.map((id) => ({ id })), pages: Math.ceil(series.size / 50) };
    },
  });

  return simulate({
    check,
    error: (status, message) => ({ status, body: JSON.stringify({ problem: message }) }),
    invalidateTokens: invalidate,
    routes: {
      'GET /about': route({ answer: () => ({ product: 'Reference' }) }),
      'GET /sensors': list,
      'POST /points': points,
    },
  });
}

/** A platform that exists for the tests of the tests only: it has everything that facts can speak of. */
export const simulatedReference: SimulatedProduct = {
  platform: 'reference',
  title: 'Reference',
  open,
  hasAuthorisationServer: true,
  holds: ['boolean', 'text', 'json', 'state', 'system-state', 'quality', 'null', 'NaN', 'finer'],
  sourceOptions: {},
  pagesOf: (cap) => ({ source: { pageLimit: cap } }),
  seriesOf: (device, key) => ({ group: '', sensorId: nameOf(device, key), valueName: 'value' }),
};
