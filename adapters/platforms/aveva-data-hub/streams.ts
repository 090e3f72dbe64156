import { z } from 'zod';
import { answer } from '../../../src/platform/answer.ts';
import type { Http, Sensor } from '../../../src/platform/contract.ts';
import { byOffset } from '../../../src/platform/paging.ts';
import { streamFields, streamPath, streamsPath, VERBOSE } from './namespace.ts';
import type { HubOptions } from './options.ts';
import { rememberType, resolvedStreamOf, typeFields, streamTypeOf, streamVariables } from './types.ts';
import type { StreamType } from './types.ts';

/** The default of `count`; whether more are allowed is not documented. */
const PAGE_SIZE = 100;

const streamList = z.array(streamFields);

/** Every stream that the options find and whose index is a time: one request for each 100, and one for each type. */
export async function* sensors(http: Http, options: HubOptions): AsyncGenerator<Sensor> {
  const pages = byOffset({
    what: 'streams',
    size: PAGE_SIZE,
    shortPage: 'no-proof',
    items: ({ streams }: Awaited<ReturnType<typeof pageOf>>) => streams,
    total: ({ total }) => total,
    ask: ({ offset }) => pageOf(http, options, offset),
  });
  const types = new Map<string, StreamType | undefined>();
  const seen = new Set<string>();
  for await (const { streams } of pages) {
    for (const { Id, Name, TypeId } of streams) {
      if (seen.has(Id)) continue;
      seen.add(Id);
      if (types.get(TypeId) === undefined) types.set(TypeId, await typeNow(http, options, Id));
      const type = types.get(TypeId);
      if (type?.key === undefined) continue;
      rememberType(options, Id, type);
      yield sensorOf(Id, Name ?? undefined, type);
    }
  }
}

async function pageOf(http: Http, options: HubOptions, skip: number) {
  const { data, headers } = await http.get<unknown>(streamsPath(options), {
    params: { query: options.query, skip, count: PAGE_SIZE, orderby: 'id asc' },
  });
  const count: unknown = headers['total-count'];
  const total = typeof count === 'string' && /^\d+$/.test(count) ? Number(count) : undefined;
  return { streams: answer(streamList, data, `streams, from the ${skip + 1}th on`), total };
}

/** Undefined where the stream has gone since it was listed. */
async function typeNow(http: Http, options: HubOptions, id: string): Promise<StreamType | undefined> {
  const { status, data } = await http.get<unknown>(`${streamPath(options, id)}/Type`, {
    headers: VERBOSE,
    expect: [404],
  });
  return status === 404 ? undefined : streamTypeOf(answer(typeFields, data, `type of stream ${id}`));
}

/** The streams with these identifiers: one request each. */
export async function* find(http: Http, options: HubOptions, ids: readonly string[]): AsyncGenerator<Sensor> {
  for (const id of ids) {
    const found = await resolvedStreamOf(http, options, id);
    if (!('refused' in found) && found.type.key !== undefined) yield sensorOf(id, found.name, found.type);
  }
}

const sensorOf = (id: string, name: string | undefined, type: StreamType): Sensor => ({
  id,
  ...(name !== undefined && { name }),
  variables: streamVariables(type),
});
