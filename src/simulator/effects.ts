import { setTimeout as sleep } from 'node:timers/promises';
import type { SimulatedClock } from './clock.ts';
import type { SimulatedAnswer, SimulatedPlatform, SimulatedRequest, Simulator } from './contract.ts';
import { exchangeTypes, renameFields } from './distort.ts';
import { isEnding, isPointEffect, type EndingEffect, type SimulatedFault } from './faults.ts';

/** A request before its faults are known. */
export type PlainRequest = Omit<SimulatedRequest, 'pointEffects' | 'badSensors'>;

/** An answer as it goes out. */
export interface Sent extends SimulatedAnswer {
  /** The connection ends after half of the body. */
  readonly isLostHalfWay?: boolean;
  /** The body comes in pieces, with this pause before each. */
  readonly pauseMs?: number;
}

/** What happens to a request instead of an answer. */
export type NoAnswer = 'hang' | 'reset' | 'restart';

/** The page to which a redirect with `to: 'login'` leads. */
export const LOGIN_PATH = '/__login';

export const loginPage: SimulatedAnswer = {
  status: 200,
  body: '<!doctype html><title>Sign in</title><form action="/login"><input name="user"></form>',
  headers: { 'content-type': 'text/html' },
};

/** The answer of a platform to a request that met these faults. */
export async function answerWith(
  { platform, clock }: Simulator,
  plain: PlainRequest,
  effects: readonly SimulatedFault[],
): Promise<Sent | NoAnswer> {
  for (const effect of effects) {
    if (effect.kind === 'slow') await sleep(effect.delayMs);
    if (effect.kind === 'invalidate-tokens') platform.invalidateTokens(effect.tokens ?? 'all');
  }
  const badSensors = effects.flatMap((effect) =>
    effect.kind === 'bad-sensor' ? [{ device: effect.device, as: effect.as ?? 'missing' }] : [],
  );
  const request = { ...plain, pointEffects: effects.filter(isPointEffect), badSensors };
  const answer = (): SimulatedAnswer | Promise<SimulatedAnswer> => platform.answer(request);
  const ending = effects.find(isEnding);
  return ending === undefined ? await answer() : await ended(ending, { platform, clock, request, answer });
}

interface Ending {
  readonly platform: SimulatedPlatform;
  readonly clock: SimulatedClock;
  readonly request: SimulatedRequest;
  readonly answer: () => SimulatedAnswer | Promise<SimulatedAnswer>;
}

async function ended(effect: EndingEffect, { platform, clock, request, answer }: Ending): Promise<Sent | NoAnswer> {
  switch (effect.kind) {
    case 'hang':
    case 'reset':
    case 'restart':
      return effect.kind;
    case 'status':
      return errorAnswer(platform, effect, clock);
    case 'error-in-200':
      return { ...platform.errorAnswer(effect.status), status: 200 };
    case 'redirect': {
      // Port 9 discards; nothing listens there, and a client that follows has left the platform.
      const location = effect.to === 'login' ? LOGIN_PATH : 'http://127.0.0.1:9/';
      return { status: effect.status ?? 302, body: '', headers: { location } };
    }
    case 'flood':
      return { status: 200, body: spaces(effect.bytes) };
    case 'truncate': {
      const whole = await answer();
      const body = textOf(whole);
      if (effect.lost === 'connection') return { ...whole, body, isLostHalfWay: true };
      return { ...whole, body: body.slice(0, body.length / 2) };
    }
    case 'slow-body': {
      const whole = await answer();
      return { ...whole, body: cut(Buffer.from(textOf(whole)), effect.pieces ?? 10), pauseMs: effect.pauseMs };
    }
    case 'repeat':
      return await firstAnswer(effect, request, answer);
    case 'wrong-shape':
      return { status: 200, ...misshapen(textOf(await answer()), effect.shape) };
  }
}

function errorAnswer(
  platform: SimulatedPlatform,
  effect: EndingEffect & { kind: 'status' },
  clock: SimulatedClock,
): SimulatedAnswer {
  const answer = platform.errorAnswer(effect.status);
  if (effect.retryAfterSeconds === undefined) return answer;
  // An HTTP date has whole seconds: rounded up, so that a client that waits for it never comes too early.
  const date = new Date(Math.ceil(clock.nowMs() / 1000 + effect.retryAfterSeconds) * 1000).toUTCString();
  const retryAfter = effect.retryAfterAs === 'date' ? date : String(effect.retryAfterSeconds);
  return { ...answer, headers: { ...answer.headers, 'retry-after': retryAfter } };
}

const firstAnswers = new WeakMap<EndingEffect, Map<string, SimulatedAnswer>>();

async function firstAnswer(effect: EndingEffect, { method, path }: SimulatedRequest, answer: Ending['answer']) {
  const first = firstAnswers.get(effect) ?? new Map<string, SimulatedAnswer>();
  firstAnswers.set(effect, first);
  const known = first.get(`${method} ${path}`);
  if (known !== undefined) return known;
  const given = await answer();
  const kept = { ...given, body: textOf(given) };
  first.set(`${method} ${path}`, kept);
  return kept;
}

function misshapen(body: string, shape: (EndingEffect & { kind: 'wrong-shape' })['shape']) {
  if (shape === 'html') return loginPage;
  if (shape === 'array') return { body: '[1,"two",null]' };
  if (shape === 'object') return { body: '{"status":500,"message":"an error inside a 200"}' };
  const documents = body.split('\n').filter((line) => line !== '');
  const change = shape === 'names' ? renameFields : exchangeTypes;
  return { body: documents.map((line) => JSON.stringify(change(JSON.parse(line)))).join('\n') };
}

function* spaces(bytes: number): Generator<Uint8Array> {
  const piece = Buffer.alloc(1024 * 1024, ' ');
  for (let left = bytes; left > 0; left -= piece.length) yield piece.subarray(0, Math.min(left, piece.length));
}

const cut = (body: Buffer, pieces: number): Uint8Array[] =>
  Array.from({ length: pieces }, (_, piece) =>
    body.subarray((body.length * piece) / pieces, (body.length * (piece + 1)) / pieces),
  );

function textOf({ body }: SimulatedAnswer): string {
  if (typeof body === 'string') return body;
  return Buffer.concat([...body].map((piece) => Buffer.from(piece))).toString('utf8');
}
