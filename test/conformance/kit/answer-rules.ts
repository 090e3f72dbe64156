import { expect } from 'vitest';
import { BridgeError } from '../../../src/core/errors.ts';
import type { FaultCode } from '../../../src/core/errors.ts';
import { questionFor } from '../../../src/core/question.ts';
import type { Authorisation, Http } from '../../../src/platform/contract.ts';
import { memoryAccount, memoryTokens, newMeter, openConnection } from '../../../src/platform/connection/index.ts';
import type { Connection } from '../../../src/platform/connection/index.ts';
import { BAD_ANSWERS, startBadServer } from '../../../src/source/bad-answers.ts';
import type { BadServer } from '../../../src/source/bad-answers.ts';
import { openGround, SECRET } from './ground.ts';
import { ANY_FAILURE, expectProper } from './on-ground.ts';
import type { SubjectRules } from './on-ground.ts';
import { streamsOf } from './reading.ts';
import type { Subject } from './subject.ts';
import { NOW, numbersAt, truthOf, windowOf } from './truths.ts';

/** An adapter that sends more requests than this to a platform with bad answers would never end. */
const MOST_REQUESTS = 12;

/** Without a login, so that the request itself gets the bad answer. */
const open: Authorisation = { sign: () => ({}) };
const never = new AbortController().signal;

/** A server with one answer, and connections of the bridge to it. */
interface Place {
  readonly server: BadServer;
  /** With all layers of the bridge and a pacer that never waits. */
  http(authorisation?: Authorisation, signal?: AbortSignal): Http;
}

async function atBadServer(subject: Subject, work: (place: Place) => Promise<void>): Promise<void> {
  const server = await startBadServer();
  const connections: Connection[] = [];
  const { url } = server;
  const fields = { username: 'bridge', password: SECRET, clientId: 'bridge', clientSecret: SECRET, apiKey: SECRET };
  const slot = { inDoubt: true, release: () => undefined };
  const http: Place['http'] = (authorisation = open, signal = never) => {
    const connection = openConnection(
      {
        baseUrl: url,
        credentials: { url, authUrl: url, token: SECRET, ...fields },
        authorisation,
        options: optionsOf(subject),
        allowHosts: undefined,
      },
      {
        pacer: { slot: async () => slot, hold: async () => undefined },
        tokens: memoryTokens(),
        account: memoryAccount(),
        now: () => NOW,
        userAgent: 'databridge-test',
      },
    );
    connections.push(connection);
    return connection.http({ lane: 'live', signal, meter: newMeter() });
  };
  try {
    await work({ server, http });
  } finally {
    for (const connection of connections) await connection.close();
    await server.close();
  }
}

const optionsOf = ({ platform, product }: Subject): unknown => platform.options.parse(product.sourceOptions);

async function counted(items: AsyncIterable<unknown>): Promise<string> {
  let number = 0;
  for await (const _ of items) number += 1;
  return `${number} items and no error`;
}

/** The stream that discovery finds while the platform is well. */
async function selectionOf(subject: Subject) {
  const ground = await openGround(subject, { truth: truthOf(subject, [numbersAt([windowOf(subject).from])]) });
  try {
    const [stream] = await streamsOf(ground);
    if (stream === undefined) throw new Error('discovery finds no sensor');
    return stream.selection;
  } finally {
    await ground.close();
  }
}

/** The operations of a platform. Where one does not throw, it returns its result for the message of the test. */
const OPERATIONS: Readonly<Record<string, (subject: Subject) => Promise<(http: Http) => Promise<unknown>>>> = {
  identify: async (subject) => (http) => subject.platform.identify(http, optionsOf(subject)),
  sensors: async (subject) => (http) => counted(subject.platform.sensors(http, optionsOf(subject))),
  read: async (subject) => {
    const selection = await selectionOf(subject);
    const question = questionFor(windowOf(subject), subject.platform.facts);
    return (http) => counted(subject.platform.read(http, optionsOf(subject), selection, question));
  },
};

async function refusalOf(asking: Promise<unknown>): Promise<BridgeError> {
  const outcome: unknown = await asking.then(
    (brought) => `took it for an answer: ${JSON.stringify(brought)}`,
    (error: unknown) => error,
  );
  if (outcome instanceof BridgeError) return outcome;
  throw new Error('the operation must throw a BridgeError', { cause: outcome });
}

function expectRefusal({ asked }: BadServer, error: BridgeError, code: FaultCode | undefined): void {
  expectProper(error, [SECRET], code === undefined ? ANY_FAILURE : [code]);
  expect(asked.length).toBeGreaterThan(0);
  expect(asked.length).toBeLessThanOrEqual(MOST_REQUESTS);
}

/** Answers that no platform gives, to each of its operations and to each login. */
export const ANSWER_RULES: SubjectRules = Object.fromEntries(
  Object.entries(BAD_ANSWERS).flatMap(([answer, { send, code }]) => [
    ...Object.entries(OPERATIONS).map(([operation, prepare]) => [
      `${operation} does not take ${answer} for an answer`,
      async (subject: Subject) => {
        const ask = await prepare(subject);
        await atBadServer(subject, async ({ server, http }) => {
          server.answer(send);
          expectRefusal(server, await refusalOf(ask(http())), code);
        });
      },
    ]),
    [
      `a login does not take ${answer} for a token`,
      async (subject: Subject) => {
        for (const authorisation of Object.values(subject.platform.kinds)) {
          if (authorisation.obtain === undefined) continue;
          await atBadServer(subject, async ({ server, http }) => {
            server.answer(send);
            expectRefusal(server, await refusalOf(http(authorisation).get('/')), code);
          });
        }
      },
    ],
  ]),
);

export const CANCEL_RULES: SubjectRules = Object.fromEntries(
  Object.entries(OPERATIONS).flatMap(([operation, prepare]) => [
    [
      `${operation} that was cancelled before sends no request`,
      async (subject: Subject) => {
        const ask = await prepare(subject);
        await atBadServer(subject, async ({ server, http }) => {
          expect((await refusalOf(ask(http(open, AbortSignal.abort())))).code).toBe('cancelled');
          expect(server.asked).toEqual([]);
        });
      },
    ],
    [
      `${operation} that is cancelled during a request ends`,
      async (subject: Subject) => {
        const ask = await prepare(subject);
        await atBadServer(subject, async ({ server, http }) => {
          const stop = new AbortController();
          const asking = refusalOf(ask(http(open, stop.signal)));
          await expect.poll(() => server.asked.length).toBe(1);
          stop.abort();
          expect((await asking).code).toBe('cancelled');
          expect(server.asked).toHaveLength(1);
        });
      },
    ],
  ]),
);
