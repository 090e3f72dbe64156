import { contractBroken, tooMuch } from '../../../src/core/errors.ts';
import { formatInstant } from '../../../src/core/instant.ts';
import type { Window } from '../../../src/core/window.ts';
import { answer } from '../../../src/platform/answer.ts';
import type { Http, Samples, Selection } from '../../../src/platform/contract.ts';
import { byCursor } from '../../../src/platform/paging.ts';
import { eventPage, lacksSome, eventSamples } from './events.ts';
import { streamPath, VERBOSE } from './namespace.ts';
import type { HubOptions } from './options.ts';
import { platformRefusal } from './refusal.ts';
import { sensors } from './streams.ts';
import { currentType, knownType, noTime, streamRefused } from './types.ts';
import type { StreamType } from './types.ts';

/** The events of one window, stream by stream. */
export async function* read(
  http: Http,
  options: HubOptions,
  selection: Selection,
  window: Window,
): AsyncGenerator<Samples> {
  for (const stream of selection.sensors ?? (await streamsOf(http, options)))
    yield* readStream(http, options, stream, window);
}

async function streamsOf(http: Http, options: HubOptions): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of sensors(http, options)) ids.push(id);
  return ids;
}

async function* readStream(http: Http, options: HubOptions, stream: string, window: Window): AsyncGenerator<Samples> {
  let type = knownType(options, stream);
  let isCurrent = type === undefined;
  type ??= await currentType(http, options, stream);
  const pages = byCursor({
    what: `events of ${stream}`,
    // The first page is asked for with an empty token; without one the answer has another form.
    first: '',
    next: ({ ContinuationToken }: Awaited<ReturnType<typeof pageOf>>) => ContinuationToken,
    // The short form leaves a null out.
    ends: ['null', 'absent'],
    ask: (token) => pageOf(http, options, stream, window, String(token)),
  });
  for await (const { Results } of pages) {
    // A property that was taken out of the type meanwhile is not one that was left out because it is 0.
    if (!isCurrent && lacksSome(Results, type)) {
      type = await currentType(http, options, stream);
      isCurrent = true;
    }
    yield* eventSamples(stream, Results, withTime(stream, type));
  }
}

function withTime(stream: string, type: StreamType): StreamType & { key: string } {
  const { key } = type;
  if (key === undefined) throw noTime(stream);
  return { ...type, key };
}

async function pageOf(http: Http, options: HubOptions, stream: string, window: Window, token: string) {
  const { status, data } = await http.get<unknown>(`${streamPath(options, stream)}/Data`, {
    params: {
      startIndex: formatInstant(window.from),
      endIndex: formatInstant(window.to),
      // Exact: events at both ends belong to the answer. The default is not documented.
      boundaryType: 0,
      count: options.pageLimit,
      continuationToken: token,
    },
    headers: VERBOSE,
    expect: [400, 403, 404],
  });
  if (status === 403 || status === 404) throw await streamRefused(http, options, stream, status);
  if (status === 400) {
    const words = platformRefusal(data);
    throw /exceed/i.test(words) ? tooMuch(`AVEVA Data Hub: ${words}`) : contractBroken(`AVEVA Data Hub: 400 ${words}`);
  }
  return answer(eventPage, data, `events of ${stream}`);
}
