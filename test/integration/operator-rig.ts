import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { openKeys } from '../../src/access/keys.ts';
import { createOperatorToken } from '../../src/access/operator-tokens.ts';
import { createOperator } from '../../src/access/operators.ts';
import type { Operator } from '../../src/access/operators.ts';
import { createOrganisation } from '../../src/access/organisations.ts';
import { openSealing } from '../kit/sealing.ts';
import { registryFor } from '../../src/context-registry.ts';
import type { OperatorRole } from '../../src/core/operator-role.ts';
import { clockOf } from '../../src/database/clock.ts';
import type { Database } from '../../src/database/database.ts';
import { openOperatorApi } from '../../src/operator/open.ts';
import type { RunningOperatorApi } from '../../src/operator/open.ts';
import { readSettings } from '../../src/settings.ts';
import { metricsOf } from '../../src/telemetry/metrics.ts';

/** An operator with a personal token. */
export interface SignedIn extends Operator {
  readonly token: string;
  readonly tokenId: string;
}

/** An answer of the operator API. */
export interface OperatorAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body, parsed; undefined where it is not JSON. */
  readonly json: unknown;
}

/** The operator API on a port of its own. */
export interface OperatorApiUnderTest extends RunningOperatorApi {
  readonly database: Database;
  /** Everything that it logged. */
  readonly log: () => string;
  /** Waits until the server has noticed that all clients have left. */
  left(): Promise<void>;
  /** Creates an operator with a token, and the organisations that it sees. */
  operator(name: string, role: OperatorRole, organisations?: readonly string[]): Promise<SignedIn>;
  /** Sends a request; `as` adds the token. A body that is no text is sent as JSON. */
  send(
    method: string,
    path: string,
    given?: {
      readonly as?: { readonly token: string };
      readonly body?: unknown;
      readonly headers?: Record<string, string>;
    },
  ): Promise<OperatorAnswer>;
}

/** Starts the operator API on a database. The caller closes it. */
export async function startOperatorApi(
  database: Database,
  environment: Record<string, string> = {},
  addRoutes?: (app: FastifyInstance) => void,
  metrics = metricsOf('1.2.3'),
): Promise<OperatorApiUnderTest> {
  const settings = readSettings({ DATABRIDGE_OPERATOR_PORT: '0', DATABRIDGE_KEY: 'A'.repeat(43), ...environment });
  let logged = '';
  const log = pino({ level: 'debug' }, { write: (line: string) => void (logged += line) });
  const sealing = await openSealing('', settings.sealingKey);
  const keys = await openKeys(settings);
  const clock = await clockOf(database);
  const registry = registryFor(settings);
  const parts = { settings, database, keys, sealing, clock, registry, workerId: randomUUID(), log, metrics };
  const api = await openOperatorApi(parts, addRoutes && { addRoutes });
  return {
    ...api,
    database,
    log: () => logged,
    async left() {
      const connections = (): Promise<number> =>
        new Promise((resolve, reject) => {
          api.server.server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
        });
      // A client keeps connections open for its next requests.
      for (;;) {
        api.server.server.closeIdleConnections();
        if ((await connections()) === 0) return;
        await sleep(10);
      }
    },
    async operator(name, role, organisations) {
      for (const id of organisations ?? []) await createOrganisation(database, { id, name: id }, 'test');
      const operator = await createOperator(database, { name, role, organisations }, 'test');
      const { token, id } = await createOperatorToken(database, { operator: name, name: 'test', days: 1 }, 'test');
      return { ...operator, token, tokenId: id };
    },
    async send(method, path, { as, body, headers = {} } = {}) {
      const answer = await fetch(`${api.url}${path}`, {
        method,
        headers: {
          ...(as && { authorization: `Bearer ${as.token}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        redirect: 'manual',
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const text = await answer.text();
      return { status: answer.status, headers: answer.headers, text, json: parsed(text) };
    },
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
