import { BridgeError, configInvalid } from '../core/errors.ts';
import { MINUTE } from '../core/instant.ts';
import { questionFor } from '../core/question.ts';
import type { Http, Platform, Selection } from '../platform/contract.ts';
import { memoryAccount, memoryTokens, newMeter, openConnection } from '../platform/connection/index.ts';
import { USER_AGENT } from '../pull/open/open-source.ts';
import { BAD_ANSWERS, startBadServer } from './bad-answers.ts';

/** An adapter that sends more requests than this to a platform with bad answers would never end. */
const MOST_REQUESTS = 12;
const LONGEST_MS = 5_000;
const SHOWN = 3;
const NEW_YEAR = Date.UTC(2026, 0, 1) * 1000;

const slot = { inDoubt: true, release: () => undefined };
const pacer = { slot: async () => slot, hold: async () => undefined };

/**
 * Gives answers that no platform gives, from a server on loopback, to each operation of an adapter that is no part of this repository.
 * The platform of the source is not asked. Each of them has to be a BridgeError, or a sensor that failed.
 *
 * @returns the number of answers and operations in words. Throws `config-invalid` for an adapter that takes one of them for data, breaks,
 * or does not end.
 */
export async function judgeAdapter(
  { platform, options }: { readonly platform: Platform; readonly options: unknown },
  selection: Selection,
  signal: AbortSignal,
): Promise<string> {
  const { maxWindow } = platform.facts;
  const window = { from: NEW_YEAR, to: NEW_YEAR + Math.min(10 * MINUTE, maxWindow) };
  const operations: Readonly<Record<string, (http: Http) => Promise<string | undefined>>> = {
    identify: async (http) => `takes it for ${(await platform.identify(http, options)).product}`,
    sensors: (http) => gathered(platform.sensors(http, options), 'sensors'),
    read: (http) => gathered(platform.read(http, options, selection, questionFor(window, platform.facts)), 'samples'),
  };
  const faults: string[] = [];
  const server = await startBadServer();
  try {
    for (const [answer, { send }] of Object.entries(BAD_ANSWERS)) {
      for (const [operation, ask] of Object.entries(operations)) {
        server.answer(send);
        const fault = await atServer(server.url, signal, ask);
        const requests = server.asked.length;
        const endless = requests > MOST_REQUESTS ? `sends ${requests} requests` : undefined;
        // An operation that asks for nothing, such as a fixed list of sensors, was given no answer.
        if (requests > 0 && (fault ?? endless) !== undefined)
          faults.push(`${answer}: ${operation} ${fault ?? endless}`);
        signal.throwIfAborted();
      }
    }
  } finally {
    await server.close();
  }
  const asked = `${Object.keys(BAD_ANSWERS).length} bad answers to each of ${Object.keys(operations).join(', ')}`;
  if (faults.length === 0) return `${asked}: each is an error`;
  const more = faults.length > SHOWN ? ` and ${faults.length - SHOWN} more` : '';
  throw configInvalid(
    `of ${asked}, ${faults.length} are no error: ${faults.slice(0, SHOWN).join('; ')}${more}`,
    'hold each answer against a schema by `answer(schema, data, what)`, as adapters/README.md says; a failure must never look empty',
    'adapter',
  );
}

/** The fault of an operation at this server; undefined where it ends with an error of the bridge, or with a failed sensor. */
async function atServer(
  url: string,
  stopped: AbortSignal,
  ask: (http: Http) => Promise<string | undefined>,
): Promise<string | undefined> {
  const connection = openConnection(
    { baseUrl: url, credentials: {}, authorisation: { sign: () => ({}) }, allowHosts: undefined },
    { pacer, tokens: memoryTokens(), account: memoryAccount(), now: () => NEW_YEAR, userAgent: USER_AGENT },
  );
  const late = AbortSignal.timeout(LONGEST_MS);
  try {
    return await ask(connection.http({ lane: 'live', signal: AbortSignal.any([stopped, late]), meter: newMeter() }));
  } catch (error) {
    if (late.aborted) return `does not end within ${LONGEST_MS / 1000} s`;
    if (error instanceof BridgeError && error.code !== 'bug') return undefined;
    return `breaks: ${error instanceof Error ? error.message : String(error)}`;
  } finally {
    await connection.close();
  }
}

/** Undefined where a sensor failed. */
async function gathered(items: AsyncIterable<object>, what: string): Promise<string | undefined> {
  let number = 0;
  for await (const item of items) {
    if ('failed' in item || 'refused' in item) return undefined;
    number += 1;
  }
  return `takes it for ${number} ${what}`;
}
