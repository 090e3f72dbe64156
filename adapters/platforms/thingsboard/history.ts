import { unsupported } from '../../../src/core/errors.ts';
import type { BridgeError } from '../../../src/core/errors.ts';
import type { Http } from '../../../src/platform/contract.ts';
import { broken, isObject, saidIn } from './answer.ts';
import { unknownDevice } from './devices.ts';
import type { ThingsBoardSettings } from './options.ts';
import { keyColumns } from './points.ts';
import type { KeyColumn, HistoryQuestion } from './points.ts';

interface Answer {
  readonly status: number;
  readonly data: unknown;
}

const refuses = ({ status }: Answer): boolean => status === 400 || status === 404;

/**
 * The history of one device: question → columns by key. `auto` asks the path of 2.x to 4.x first, and that of 4.x where
 * the first answers 400 or 404. The returned function then stays with the path that answered.
 */
export function historyOf(
  http: Http,
  device: string,
  choice: ThingsBoardSettings['history'],
): (question: HistoryQuestion) => Promise<ReadonlyMap<string, KeyColumn>> {
  const old = `/api/plugins/telemetry/DEVICE/${encodeURIComponent(device)}/values/timeseries`;
  let paths = { auto: [old, `${old}/history`], old: [old], history: [`${old}/history`] }[choice];

  return async (question) => {
    const commas = question.keys.some((key) => key.includes(','));
    // Only 4.x takes a key with a comma, as `key=`. The old path without `keys=` would answer the latest values.
    if (commas && choice === 'old') throw commaKey(question.keys, '`options.history` is `old`');
    const refused: Answer[] = [];
    for (const path of commas ? [`${old}/history`] : paths) {
      const answer = await ask(http, path, question);
      if (!refuses(answer)) {
        if (!commas) paths = [path];
        return keyColumns(answer.data, question, device);
      }
      refused.push(answer);
    }
    throw refusal(device, question, refused);
  };
}

/** Always sends `keys`, `startTs` and `endTs`, because without one of them the server answers the latest values. */
async function ask(http: Http, path: string, { keys, startTs, endTs, limit }: HistoryQuestion): Promise<Answer> {
  const named = keys.some((key) => key.includes(',')) ? { key: keys } : { keys: keys.join(',') };
  return await http.get<unknown>(path, {
    params: { ...named, startTs, endTs, limit, agg: 'NONE', orderBy: 'ASC', useStrictDataTypes: true },
    paramsSerializer: { indexes: null },
    expect: [400, 404],
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
