import { randomUUID } from 'node:crypto';
import { HOUR, SECOND, fromMillis, toMillis } from '../core/instant.ts';
import type { Instant } from '../core/instant.ts';
import type { Account, Answer, AnswerTo, Question } from './plant-server.ts';
import { shownPoints } from './plants.ts';
import type { Plant } from './plants.ts';

const TOKEN_LIVES = 2 * HOUR;

const json = (value: unknown): Answer => ({ status: 200, body: JSON.stringify(value) });

const refused = (status: number, errorCode: number, message: string): Answer => ({
  status,
  body: JSON.stringify({ status, message, errorCode }),
});

/** A plant as ThingsBoard shows it, as far as a bridge asks: a login, then devices, their keys and their history. */
export function thingsboardOf(plant: Plant, account: Account, now: () => Instant): AnswerTo {
  const tokens = new Map<string, Instant>();
  const issue = (): string => {
    const expiresAt = now() + TOKEN_LIVES;
    const claims = { sub: account.username, exp: Math.floor(expiresAt / SECOND), jti: randomUUID() };
    const token = [{ alg: 'none' }, claims, {}]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
    tokens.set(token, expiresAt);
    return token;
  };
  const lives = (token: unknown): boolean => (tokens.get(String(token)) ?? 0) > now();

  return (question) => {
    const { call, headers } = question;
    if (call === 'GET /api/noauth/userPasswordPolicy') return json({ minimumLength: 6 });
    if (call === 'POST /api/auth/login' || call === 'POST /api/auth/token') {
      const { username, password, refreshToken } = JSON.parse(question.body) as Record<string, unknown>;
      const isKnown = username === account.username && password === account.password;
      if (!isKnown && !lives(refreshToken)) return refused(401, 10, 'Invalid username or password');
      return json({ token: issue(), refreshToken: issue() });
    }
    const token = String(headers['x-authorization'] ?? '').replace(/^Bearer /, '');
    if (!lives(token)) return refused(401, 11, 'Token has expired');
    return answerOf(plant, question, now());
  };
}

function answerOf(plant: Plant, { call, query }: Question, now: Instant): Answer {
  if (call === 'GET /api/auth/user') return json({ authority: 'TENANT_ADMIN' });
  if (call === 'GET /api/tenant/deviceInfos') {
    const devices = new Map(plant.signals.map(({ group, sensor }) => [group, sensor]));
    const data = [...devices].map(([id, name]) => ({ id: { entityType: 'DEVICE', id }, name }));
    return json({ data, totalPages: 1, totalElements: data.length, hasNext: false });
  }
  const [, device, what] = /^GET \/api\/plugins\/telemetry\/DEVICE\/([^/]+)\/(\w+)\/timeseries$/.exec(call) ?? [];
  const signals = plant.signals.filter(({ group }) => group === device);
  if (what === undefined) return refused(404, 32, 'No such path');
  if (signals.length === 0) return refused(404, 32, 'Device not found');
  if (what === 'keys') return json(signals.map(({ field }) => field));
  return json(Object.fromEntries(history(plant, signals, query, now)));
}

/** By key the points `startTs <= ts < endTs`, oldest first, `limit` at most; a key without points is left out. */
function* history(
  plant: Plant,
  signals: Plant['signals'],
  query: URLSearchParams,
  now: Instant,
): Generator<[key: string, points: { ts: number; value: unknown }[]]> {
  const keys = (query.get('keys') ?? '').split(',');
  // Times are whole milliseconds.
  const window = { from: fromMillis(Number(query.get('startTs'))), to: fromMillis(Number(query.get('endTs'))) };
  for (const signal of signals.filter(({ field }) => keys.includes(field))) {
    const points = [...shownPoints(plant, signal, window, now)].slice(0, Number(query.get('limit') ?? 100));
    if (points.length > 0) yield [signal.field, points.map(({ at, value }) => ({ ts: toMillis(at), value }))];
  }
}
