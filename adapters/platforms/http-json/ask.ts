import { BridgeError, contractBroken, tooMuch } from '../../../src/core/errors.ts';
import type { FailedSensor, Http } from '../../../src/platform/contract.ts';
import { parsedBody } from './document.ts';
import { evaluate, excerpt, listOf } from './expression.ts';
import type { HttpJsonSettings } from './options.ts';
import { itemsOf } from './points.ts';
import type { Item } from './points.ts';
import type { FilledRequest } from './template.ts';

/** One page of an answer. */
export interface Page {
  readonly items: readonly Item[];
  readonly failed: readonly FailedSensor[];
  /** The link or cursor as it came. */
  readonly next: unknown;
  /** Items of all pages, where the answer says so. */
  readonly total: number | undefined;
  /** Whether the answer says that it is the last one; undefined where it has no such sign. */
  readonly isLast: boolean | undefined;
}

/** Sends one request and returns its document, and its headers with names in lower case. */
export async function documentFor(
  http: Http,
  { method, address, body }: FilledRequest,
  { answer, exactness }: Pick<HttpJsonSettings, 'answer' | 'exactness'>,
): Promise<{ document: unknown; headers: Record<string, string> }> {
  const { status, data, headers } = await http.request<unknown>({
    method,
    url: address,
    ...(body === undefined ? {} : { data: body, headers: { 'content-type': 'application/json' } }),
    responseType: answer.body === 'json' ? 'json' : 'text',
    expect: [...answer.emptyStatuses, ...exactness.tooMuch],
  });
  if (exactness.tooMuch.includes(status))
    throw tooMuch(`the platform answered ${status}, which means that the window is too long`);
  const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)] as const);
  return { document: parsedBody(data, answer), headers: Object.fromEntries(named) };
}

/** One page. `only` is the sensor of a question for one. */
export async function pageOf(
  http: Http,
  request: FilledRequest,
  options: HttpJsonSettings,
  only: string | undefined,
): Promise<Page> {
  const { answer, exactness, paging, times } = options;
  const { document, headers } = await documentFor(http, request, options);
  const find = (code: string | undefined, what: string): Promise<unknown> | undefined =>
    code === undefined ? undefined : evaluate(code, document, what, { headers });

  const error = await find(answer.error, 'answer.error');
  if (error !== undefined && error !== null && error !== false && error !== '')
    throw contractBroken(`the platform answered with an error: ${wordsOf(error)}`, excerpt(document));

  const failed = listOf(await find(answer.failed, 'answer.failed')).map(failedSensor);
  const items = itemsOf(listOf(await find(answer.points, 'answer.points')), only, times);
  if (items.length === 0 && (await find(answer.empty, 'answer.empty')) !== true && failed.length === 0)
    throw contractBroken(
      'the answer has no points, and `answer.empty` does not find that there are none',
      excerpt(document),
    );

  const total = await find(exactness.count, 'exactness.count');
  if (total !== undefined && !(Number.isSafeInteger(total) && (total as number) >= 0))
    throw contractBroken('exactness.count: not a number of items', excerpt(document));
  if (exactness.count !== undefined && total === undefined)
    throw contractBroken('exactness.count: the answer has none', excerpt(document));
  const isLast =
    exactness.trailer === undefined ? undefined : (await find(exactness.trailer, 'exactness.trailer')) === true;
  return { items, failed, next: await find(paging.next, 'paging.next'), total: total as number | undefined, isLast };
}

const wordsOf = (found: unknown): string =>
  (typeof found === 'string' ? found : (JSON.stringify(found) ?? 'it gives no reason')).slice(0, 300);

function failedSensor(found: unknown): FailedSensor {
  const { sensor, message } = Object(found) as { sensor?: unknown; message?: unknown };
  if (typeof sensor !== 'string') throw contractBroken('answer.failed: an entry without "sensor"', excerpt(found));
  const words = `the platform cannot read ${sensor}: ${wordsOf(message)}`;
  return { sensor, failed: new BridgeError({ code: 'contract-broken' }, words) };
}
