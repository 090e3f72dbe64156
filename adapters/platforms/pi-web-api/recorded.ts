import { z } from 'zod';
import { BridgeError, configInvalid, contractBroken, tooMuchAtOnce } from '../../../src/core/errors.ts';
import { formatInstant } from '../../../src/core/instant.ts';
import type { Window } from '../../../src/core/window.ts';
import { answer } from '../../../src/platform/answer.ts';
import type { Http } from '../../../src/platform/contract.ts';
import type { PiOptions } from './options.ts';
import { PointFault } from './point-fault.ts';
import { keyOf, refusalOf } from './points.ts';
import type { NamedPoint } from './points.ts';
import { valuesOf } from './values.ts';
import type { PiValue } from './values.ts';

/** Set where the server failed after it had begun its answer, of which a part is then missing. */
const exception = z.object({ StatusCode: z.number().nullish(), Errors: z.array(z.unknown()).nullish() }).nullish();

const streamSet = z.object({
  Items: z.array(z.object({ Name: z.string(), Items: z.array(z.unknown()).optional(), WebException: exception })),
  WebException: exception,
});

const refusal = z.object({ Errors: z.array(z.string()) });

const SELECTED = [
  'WebException',
  'Items.Name',
  'Items.WebException',
  ...['Timestamp', 'Value', 'Good', 'Questionable', 'Substituted', 'Errors'].map((field) => `Items.Items.${field}`),
].join(';');

/** The answer for each point of a set: its values, or the reason why it has none. A point is absent where its WebId now names another one. */
export type SetAnswer = ReadonlyMap<string, readonly PiValue[] | PointFault>;

/**
 * Recorded values of a few points, at most `size` of each or of all together: the documentation leaves it open. Always asks for a
 * set, also of one, because its answer names the points. Undefined where the server refuses the set for one of its points; for a
 * set of one that is its `PointFault`. Throws where the answer broke off, or holds values of other times.
 */
export async function recorded(
  http: Http,
  options: PiOptions,
  set: readonly NamedPoint[],
  window: Window,
  size: number,
): Promise<SetAnswer | undefined> {
  const { status, data } = await http.get<unknown>('/streamsets/recorded', {
    params: {
      webId: set.map(({ webId }) => webId),
      startTime: formatInstant(window.from),
      endTime: formatInstant(window.to),
      boundaryType: 'Inside',
      maxCount: size,
      selectedFields: SELECTED,
    },
    paramsSerializer: { indexes: null },
    expect: [400, 403, 404],
  });
  if (status === 400) throw refusedQuestion(data, options, size);
  if (status === 403 || status === 404) {
    const refused = new PointFault(await refusalOf(http, set[0]?.name ?? '', status));
    return set.length === 1 ? new Map(set.map(({ name }) => [keyOf(name), refused])) : undefined;
  }
  const { Items, WebException } = answer(streamSet, data, 'recorded values');
  const broke = [WebException, ...Items.map((stream) => stream.WebException)].find(Boolean);
  if (broke) throw brokeOff(broke);
  return new Map(Items.map((stream) => [keyOf(stream.Name), streamOf(stream, window)]));
}

function streamOf(
  { Name, Items }: z.output<typeof streamSet>['Items'][number],
  { from, to }: Window,
): readonly PiValue[] | PointFault {
  if (Items === undefined) return new PointFault(contractBroken(`the server gave no values of ${Name}`));
  try {
    const values = valuesOf(Name, Items);
    const other = values.find(({ at }) => at < from || at > to);
    if (other === undefined) return values;
    throw contractBroken(
      `values of ${Name}: one of ${formatInstant(other.at)}, asked for ${formatInstant(from)} to ${formatInstant(to)}`,
    );
  } catch (error) {
    if (error instanceof PointFault) return error;
    throw error;
  }
}

function brokeOff({ StatusCode, Errors }: NonNullable<z.output<typeof exception>>): BridgeError {
  const status = StatusCode ?? 500;
  const words = [status, ...(Errors ?? [])].join(' ').slice(0, 500);
  return new BridgeError({ code: 'unavailable', why: 'status', status }, `PI Web API: its answer broke off: ${words}`, {
    remedy: 'nothing to do if it passes; otherwise see the log of PI Web API on its server',
  });
}

/** HTTP 400. The server counts the values of an answer against a limit of its administrator. */
function refusedQuestion(data: unknown, { pageLimit }: PiOptions, size: number): BridgeError {
  const words = refusal.safeParse(data).data?.Errors.join(' ').slice(0, 500) ?? '';
  const message = `PI Web API: 400 ${words}`;
  if (!/maximum/i.test(words)) return contractBroken(message);
  if (size > pageLimit) return tooMuchAtOnce(message);
  return configInvalid(
    message,
    'lower options.pageLimit to MaxReturnedItemsPerCall of the server',
    'options.pageLimit',
  );
}
