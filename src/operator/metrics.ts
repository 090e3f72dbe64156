import type { AddressInfo } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { inTime } from '../database/patience.ts';
import type { OperatorSettings } from '../settings-operator.ts';
import { measuresOf } from '../source/measures.ts';
import type { BridgeMeasures } from '../source/measures.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { assertSeesAll } from './authenticate.ts';
import type { OperatorParts } from './parts.ts';

/** How long the measures of the database hold for the scrapes that follow, ms: several monitors cost no more than one. */
const REMEMBERED_MS = 5_000;
/** They hold this many times as long as they took, so that thousands of sources cost at most a twentieth of one connection. */
const REMEMBERED_TIMES = 20;
/** How long the database may take for them, ms; a scrape of Prometheus waits 10 s unless told otherwise. */
const PATIENCE_MS = 3_000;

/** `GET /metrics`: the counters of this process and the measures of the whole bridge, for Prometheus. */
export function addMetricsRoute(app: FastifyInstance, parts: OperatorParts & { readonly metrics: Metrics }): void {
  const { metrics, database, registry, settings, log } = parts;
  const { pool } = database;
  let asked: { until: number; readonly answer: Promise<BridgeMeasures | undefined> } | undefined;

  /** Undefined where the database does not answer. A question under way is not asked again beside it. */
  function measures(): Promise<BridgeMeasures | undefined> {
    const began = performance.now();
    if (asked !== undefined && began < asked.until) return asked.answer;
    const answer = measuresOf(database, registry, PATIENCE_MS).catch((error: unknown) => {
      log.warn({ reason: (error as Error).message }, 'the measures of the bridge are missing in a scrape');
      return undefined;
    });
    const mine = { until: Infinity, answer };
    asked = mine;
    void answer.then((found) => {
      const took = found === undefined ? 0 : performance.now() - began;
      mine.until = performance.now() + Math.max(REMEMBERED_MS, REMEMBERED_TIMES * took);
    });
    return answer;
  }

  app.get(
    '/metrics',
    { config: { role: 'viewer', opensTo: (request) => isOnHost(request, settings.operator) }, schema: { hide: true } },
    async (request, reply) => {
      const { operator } = request;
      if (operator !== null) assertSeesAll(operator, 'The metrics are those of all organisations');
      const state = await inTime(PATIENCE_MS, measures()).catch(() => undefined);
      const { totalCount, idleCount, waitingCount, options } = pool;
      const text = await metrics.text(state, {
        total: totalCount,
        idle: idleCount,
        waiting: waitingCount,
        most: options.max ?? totalCount,
      });
      return await reply.type(metrics.contentType).send(text);
    },
  );
}

const FORWARDED = /^(?:forwarded|via|x-forwarded-.+|x-real-ip|x-original-.+|cf-connecting-ip|true-client-ip)$/;

/**
 * Whether a request surely comes from a program on this host: listener and peer are on loopback, and no proxy stands between
 * them. A proxy on this host would pass on the requests of any client, so nothing that hints at one is let through: the
 * settings of a proxy, its headers, or the name of another host. That name also keeps out web pages, which a browser on this
 * host may show.
 */
function isOnHost(request: FastifyRequest, { publicOrigin, trustProxy }: OperatorSettings): boolean {
  if (publicOrigin !== undefined || trustProxy !== undefined) return false;
  const { socket, headers } = request.raw;
  const bound = request.server.server.address() as AddressInfo | null;
  return (
    isLoopbackAddress(bound?.address) &&
    isLoopbackAddress(socket.remoteAddress) &&
    /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i.test(headers.host ?? '') &&
    !Object.keys(headers).some((name) => FORWARDED.test(name))
  );
}

const isLoopbackAddress = (address: string | undefined): boolean =>
  address !== undefined && ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback';
