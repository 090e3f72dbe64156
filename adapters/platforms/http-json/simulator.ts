import { z } from 'zod';
import { askedWindow } from '../../../src/simulator/bounds.ts';
import type { SimulatedClock } from '../../../src/simulator/clock.ts';
import type { SimulatedAnswer, SimulatedPlatform, SimulatedProduct } from '../../../src/simulator/contract.ts';
import {
  basicCheck,
  keyCheck,
  SimulatedTokens,
  tokenCheck,
  tokenEndpoint,
} from '../../../src/simulator/credentials.ts';
import { Refused, route, simulate } from '../../../src/simulator/route.ts';
import { runSimulator } from '../../../src/simulator/run.ts';
import { writtenPage, cutPage } from './simulator/pages.ts';
import { genericOptions } from './simulator/options.ts';
import { instantIn, visibleRows } from './simulator/records.ts';

const text = z.string();
const question = z.strictObject({
  from: text,
  to: text,
  sensor: z.union([text.transform((one) => [one]), z.array(text)]),
  size: z.coerce.number().int().min(1).optional(),
  cursor: text.optional(),
  offset: z.coerce.number().int().min(0).optional(),
  page: z.coerce.number().int().min(1).optional(),
});

/** A server of no vendor: rows of sensor, time, variable and value, with every way of paging that http-json can follow. */
function genericServer(given: unknown, clock: SimulatedClock): SimulatedPlatform {
  const known = genericOptions.parse(given);
  const { accounts, signing, truth, longestMs } = known;
  const tokens = new SimulatedTokens(clock, { access: known.tokenSeconds });
  const check = {
    none: () => '',
    basic: basicCheck(accounts),
    key: keyCheck('x-api-key', accounts),
    token: tokenCheck(tokens),
  }[signing];

  function readings(asked: z.output<typeof question>, request: Parameters<typeof visibleRows>[1]): SimulatedAnswer {
    const [from, to] = [instantIn(asked.from, known.times), instantIn(asked.to, known.times)];
    if (from === undefined || to === undefined || to < from) throw new Refused(400, 'no window');
    if (longestMs > 0 && to - from > longestMs) throw new Refused(422, 'the window is too long');
    const unknown = asked.sensor.filter((id) => !truth.devices.some((device) => device.id === id));
    const bad = [
      ...unknown,
      ...request.badSensors.map(({ device }) => device).filter((id) => asked.sensor.includes(id)),
    ];
    if (bad.length > 0 && known.failsAs !== 'inside-200') throw new Refused(404, `no sensor ${bad.join(', ')}`);
    const nowMs = clock.nowMs();
    const window =
      known.fault === 'latest' ? askedWindow('[]', nowMs - 60_000, nowMs) : askedWindow(known.bounds, from, to);
    const devices = truth.devices.filter(({ id }) => asked.sensor.includes(id) && !bad.includes(id));
    const all = visibleRows(known, request, { devices, window, nowMs });
    return writtenPage(known, cutPage(known, all, { ...asked, address: `${request.path}?${request.query}` }), bad);
  }

  return simulate({
    check,
    ...(signing === 'token' && { invalidateTokens: (which) => tokens.invalidate(which) }),
    restart: () => tokens.forget(),
    error: (status, message) => ({ status, body: JSON.stringify({ error: message }) }),
    routes: {
      'GET /sensors': route({ answer: () => ({ sensors: truth.devices.map(({ id, name }) => ({ id, name })) }) }),
      'GET /readings': route({ query: question, answer: ({ query, request }) => readings(query, request) }),
      ...(signing === 'token' && {
        'POST /login': route({
          open: true,
          body: z.strictObject({ user: text, secret: text }),
          answer({ body }) {
            const account = accounts.find(
              ({ username, password }) => username === body.user && password === body.secret,
            );
            if (account === undefined) throw new Refused(401, 'wrong user or secret');
            const { token, expiresInSeconds } = tokens.issue(account.username);
            return { data: { jwt: token, lifetime: expiresInSeconds } };
          },
        }),
        'POST /token': tokenEndpoint({
          accounts,
          grant(client) {
            const { token, expiresInSeconds } = tokens.issue(client);
            return { access_token: token, token_type: 'Bearer', expires_in: expiresInSeconds };
          },
        }),
      }),
    },
  });
}

const PAGING = { by: 'cursor', next: 'next', ends: ['null'], size: 500 };

/** The options of a source that reads this server as it is unless told otherwise. */
export const SOURCE_OPTIONS = {
  authorisation: { by: 'header', header: 'X-Api-Key' },
  sensors: {
    request: { path: '/sensors' },
    each: 'sensors.{"id": id, "name": name}',
    none: '$type(sensors) = "array" and $count(sensors) = 0',
    perRequest: 20,
  },
  readings: {
    path: '/readings',
    query: { from: '{from}', to: '{to}', sensor: '{sensors}', size: '{size}', cursor: '{cursor}' },
  },
  times: { write: 'iso', read: 'iso' },
  answer: {
    body: 'json',
    points: 'rows.{"sensor": sensor, "at": at, "variable": variable, "value": value}',
    empty: '$type(rows) = "array" and $count(rows) = 0',
  },
  paging: PAGING,
  exactness: {
    bounds: '[)',
    resolution: '1ms',
    order: 'ascending',
    cap: 1000,
    sameInstant: 'many',
    failsAs: 'whole-batch',
    tooMuch: [413, 422],
    longestWindow: '7d',
    proof: 'no-next',
  },
} as const;

export const simulatedHttpJson: SimulatedProduct = {
  platform: 'http-json',
  title: 'HTTP API',
  open: genericServer,
  sourceOptions: SOURCE_OPTIONS,
  seriesOf: ({ id }, key) => ({ group: '', sensorId: id, valueName: key.name }),
  holds: ['boolean', 'text', 'json', 'null', 'NaN', 'finer'],
  connectionOf: (url, { password }) => ({ url, key: password }),
  pagesOf: (cap) => ({
    source: { paging: { ...PAGING, size: cap }, exactness: { ...SOURCE_OPTIONS.exactness, cap } },
    simulator: { cap },
  }),
};

if (import.meta.main) await runSimulator(simulatedHttpJson);
