import { unsupported } from '../../../src/core/errors.ts';
import type { BridgeError } from '../../../src/core/errors.ts';
import type { Http } from '../../../src/platform/contract.ts';
import { broken, isObject, jsonObject, saidIn } from './answer.ts';
import { deviceRefused, unknownDevice } from './devices.ts';
import type { ThingsBoardSettings } from './options.ts';
import { keyColumns } from './points.ts';
import type { KeyColumn, HistoryQuestion } from './points.ts';

interface Answer {
  readonly status: number;
  readonly data: unknown;
}

const refuses = ({ status }: Answer): boolean => status === 400 || status === 404;

/**
 * The history of one device and window: question → columns by key. `auto` asks the path of 4.x first, and the old one where that
 * answers 400 or 404; once a path has answered, the function stays with it.
 */
export function historyOf(
  http: Http,
  device: string,
  choice: ThingsBoardSettings['history'],
): (question: HistoryQuestion) => Promise<ReadonlyMap<string, KeyColumn>> {
  const old = `/api/plugins/telemetry/DEVICE/${encodeURIComponent(device)}/values/timeseries`;
  const paths = { auto: [`${old}/history`, old], old: [old], history: [`${old}/history`] }[choice];
  let answering: string | undefined;

  return async (question) => {
    const commas = question.keys.some((key) => key.includes(','));
    // Only 4.x takes a key with a comma, as `key=`. The old path without `keys=` would answer the latest values.
    if (commas && choice === 'old') throw commaKey(question.keys, '`options.history` is `old`');
    const refused: Answer[] = [];
    for (const path of commas ? [`${old}/history`] : answering === undefined ? paths : [answering]) {
      const found = await ask(http, path, question);
      if (found.status === 403) throw await deviceRefused(http, device, saidIn(403, found.data));
      if (!refuses(found)) {
        if (path === old) await proveBounds(http, old, { device, question, data: found.data });
        if (!commas) answering = path;
        return keyColumns(found.data, question, device);
      }
      refused.push(found);
    }
    throw refusal(device, question, refused);
  };
}

/**
 * Throws `unsupported` where the old path ignores the bounds. The vendor describes it without them, as the latest value of each
 * key (getLatestTimeseries in thingsboard-java-client ce/spec/openapi.json), and one such value inside the window would pass for
 * all of its points. An answer with two points of a key is no latest value, and one without points shows that there is none.
 * Any other answer is followed by a question for the first millisecond of 1970.
 */
async function proveBounds(
  http: Http,
  path: string,
  { device, question, data }: { device: string; question: HistoryQuestion; data: unknown },
): Promise<void> {
  const counts = Object.values(jsonObject(data, `history of device ${device}`)).map((points) =>
    Array.isArray(points) ? points.length : 0,
  );
  if (counts.some((count) => count > 1) || counts.every((count) => count === 0)) return;
  const probe = { keys: question.keys, startTs: 0, endTs: 1, limit: 1 };
  const { status, data: early } = await ask(http, path, probe);
  const points =
    status === 200 ? Object.values(jsonObject(early, `first millisecond of device ${device}`)) : [undefined];
  if (
    points.every((column) => Array.isArray(column) && column.every((point) => isObject(point) && isFirst(point['ts'])))
  )
    return;
  throw unsupported(
    'the path …/values/timeseries of this server ignores the asked time and answers the latest value',
    'Set `options.history` to `history`. If that path answers 404, ask whether a proxy before the server lets it through.',
  );
}

const isFirst = (ts: unknown): boolean => ts === 0 || ts === 1;

/** Always sends `keys`, `startTs` and `endTs`, because without one of them the server answers the latest values. */
async function ask(http: Http, path: string, { keys, startTs, endTs, limit }: HistoryQuestion): Promise<Answer> {
  const named = keys.some((key) => key.includes(',')) ? { key: keys } : { keys: keys.join(',') };
  return await http.get<unknown>(path, {
    params: { ...named, startTs, endTs, limit, agg: 'NONE', orderBy: 'ASC', useStrictDataTypes: true },
    paramsSerializer: { indexes: null },
    expect: [400, 403, 404],
  });
}

function refusal(device: string, question: HistoryQuestion, refused: readonly Answer[]): BridgeError {
  const said = refused.map(({ status, data }) => saidIn(status, data)).join('; ');
  // An older server may answer the unknown path as an entity that was not found, so a comma is taken for the cause
  // first.
  if (question.keys.some((key) => key.includes(','))) return commaKey(question.keys, said);
  // 404/32 is an entity that does not exist; a 404 without the code is a path that does not.
  if (refused.some(({ status, data }) => status === 404 && isObject(data) && data['errorCode'] === 32)) {
    return unknownDevice(device, said);
  }
  return broken(`history of device ${device}: ThingsBoard refused the request: ${said}`, refused.at(-1)?.data);
}

const commaKey = (keys: readonly string[], said: string): BridgeError =>
  unsupported(
    `only the history path of ThingsBoard 4.x can be asked for a key with a comma: ${keys.join(' and ')} (${said})`,
    'List the keys to read in `options.keys` without it; on a 4.x server, `options.history` may be `auto` or `history`.',
  );
