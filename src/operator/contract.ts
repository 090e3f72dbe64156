import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { MONTH, contractOf, receiptOf } from '../source/contract.ts';
import type { OperatorParts } from './parts.ts';
import { changing, sourceIn, sourceParams } from './route-shapes.ts';

const contractSchema = z
  .object({
    source: z.string(),
    organisation: z.string(),
    platform: z.string(),
    hosts: z.array(z.string()).describe('The origins that requests go to.'),
    hostPaces: z
      .array(z.object({ host: z.string(), perSecond: z.number() }))
      .describe('Those of them that have a pace, which all sources of the bridge share.'),
    credentials: z
      .array(z.object({ field: z.string(), value: z.string().nullable().describe('Null: a secret.') }))
      .describe('The fields of the credentials.'),
    requests: z.object({
      perSecond: z.number().describe('On average.'),
      burst: z.int().describe('Requests that may leave at once after idleness.'),
      inASecond: z.int().describe('In any second at most.'),
      inADay: z.int(),
      atATime: z.int(),
    }),
    quietHours: z
      .array(
        z.object({
          from: z.string(),
          to: z.string(),
          zone: z.string(),
          days: z.array(z.string()).optional().describe('The days on which they begin; each day unless told.'),
        }),
      )
      .describe('Times of day without a request.'),
    everySeconds: z.number(),
    longestWindowSeconds: z.number(),
    longestSilenceSeconds: z.number().describe('A longer silence that the platform asks for is not kept.'),
    bytesInADay: z.int().nullable().describe('On average over the last seven days; no limit is agreed.'),
  })
  .meta({
    id: 'Contract',
    examples: [
      {
        source: 'hall-3',
        organisation: 'default',
        platform: 'influxdb',
        hosts: ['https://plant.example:8086'],
        hostPaces: [{ host: 'plant.example', perSecond: 10 }],
        credentials: [
          { field: 'username', value: 'reader' },
          { field: 'password', value: null },
        ],
        requests: { perSecond: 2, burst: 5, inASecond: 7, inADay: 172_805, atATime: 2 },
        quietHours: [{ from: '22:00', to: '06:00', zone: 'Europe/Berlin' }],
        everySeconds: 60,
        longestWindowSeconds: 3600,
        longestSilenceSeconds: 3600,
        bytesInADay: 1_200_000,
      },
    ],
  });

const receiptSchema = z
  .object({
    name: z.string(),
    organisation: z.string(),
    month: z.string(),
    from: z.string(),
    to: z.string().describe('The end of the month, or now where it is not over.'),
    countedFrom: z
      .string()
      .nullable()
      .describe(
        'From here on each request is counted in the hour of its slot. Before, only those of stored windows are, in the hour in which the window was begun. Null: each request of the month.',
      ),
    requests: z.int(),
    requestsInADay: z.int().describe('On average.'),
    kinds: z
      .object({
        live: z.int(),
        history: z.int(),
        look: z.int().describe('Looks for sensors, and checks.'),
        login: z.int(),
        failed: z.int().describe('Of all of them.'),
      })
      .nullable()
      .describe('The requests since `countedFrom`; null where there is none.'),
    bytes: z.int(),
    windows: z.int(),
    readings: z.int(),
    busiestHour: z.object({ hour: z.string(), requests: z.int(), allowed: z.int() }).nullable(),
    busiestMinute: z
      .object({ minute: z.string(), requests: z.int(), allowed: z.int() })
      .nullable()
      .describe('Since `countedFrom`.'),
    busiestSecond: z
      .object({ minute: z.string(), requests: z.int(), allowed: z.int() })
      .nullable()
      .describe('A second of the clock, told by its minute, by the slots that were given. Null: none was counted.'),
    broken: z
      .array(
        z.object({
          hour: z.string(),
          what: z
            .enum(['rate', 'minute', 'second', 'quiet-hours'])
            .describe('`minute`: `hour` is a single minute. `second`: a second of the minute `hour`.'),
          requests: z.int(),
          allowed: z.int(),
        }),
      )
      .describe('The hours, and minutes, with more requests than the pace of today allows.'),
  })
  .meta({
    id: 'Receipt',
    examples: [
      {
        name: 'hall-3',
        organisation: 'default',
        month: '2026-11',
        from: '2026-11-01T00:00:00Z',
        to: '2026-12-01T00:00:00Z',
        countedFrom: null,
        requests: 43_200,
        requestsInADay: 1_440,
        kinds: { live: 43_200, history: 0, look: 0, login: 0, failed: 3 },
        bytes: 36_000_000,
        windows: 43_200,
        readings: 2_592_000,
        busiestHour: { hour: '2026-11-04T10:00:00Z', requests: 240, allowed: 7_205 },
        busiestMinute: { minute: '2026-11-04T10:12:00Z', requests: 12, allowed: 125 },
        busiestSecond: { minute: '2026-11-04T10:12:00Z', requests: 3, allowed: 7 },
        broken: [],
      },
    ],
  });

/** What the bridge promises to those who run a platform, and what it did. */
export function addContractRoutes(app: FastifyInstance, { database, registry, settings }: OperatorParts): void {
  const typed = app.withTypeProvider<ZodTypeProvider>();
  const config = { role: 'viewer' } as const;
  typed.get(
    '/api/v1/sources/:organisation/:name/contract',
    {
      config,
      schema: {
        operationId: 'showContract',
        summary: 'What the bridge promises to those who run the platform of a source',
        tags: ['Sources'],
        params: sourceParams,
        response: { 200: contractSchema },
      },
    },
    async (request) => {
      const { quietHours, hosts, hostPaces, credentials, ...contract } = await contractOf(
        { database, registry },
        await sourceIn(database, request),
        settings.egress.hostPaces,
      );
      return {
        ...contract,
        hosts: [...hosts],
        hostPaces: [...hostPaces],
        credentials: [...credentials],
        quietHours: quietHours.map(({ days, ...quiet }) => ({ ...quiet, ...(days && { days: [...days] }) })),
      };
    },
  );
  typed.get(
    '/api/v1/sources/:organisation/:name/receipt',
    {
      config,
      schema: {
        operationId: 'showReceipt',
        summary: 'What the bridge asked in a month, and where that was more than it promises',
        tags: ['Sources'],
        params: sourceParams,
        querystring: z.object({ month: z.string().regex(MONTH).describe('A month of UTC, such as `2026-11`.') }),
        response: { 200: receiptSchema },
      },
    },
    async (request) => {
      const source = await sourceIn(database, request);
      const receipt = await changing(() => receiptOf({ database, registry }, source, request.query.month));
      return { ...receipt, kinds: receipt.kinds && { ...receipt.kinds }, broken: [...receipt.broken] };
    },
  );
}
