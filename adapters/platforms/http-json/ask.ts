import { tooMuch } from '../../../src/core/errors.ts';
import type { Http } from '../../../src/platform/contract.ts';
import type { Codes, Evaluation } from './evaluating.ts';
import { evaluated } from './evaluators.ts';
import type { HttpJsonSettings } from './options.ts';
import type { FilledRequest } from './template.ts';

/** Sends one request, and returns what an evaluator finds in its answer. */
export async function foundFor<Found>(
  http: Http,
  { method, address, body }: FilledRequest,
  { answer, exactness }: Pick<HttpJsonSettings, 'answer' | 'exactness'>,
  { codes, wish }: { readonly codes: Codes; readonly wish: Evaluation['wish'] },
): Promise<Found> {
  // Sources are told apart by address and expressions: checks of one file are one source, also under several names.
  const source = `${http.defaults.baseURL}\n${JSON.stringify(codes)}`;
  const question = { body: answer.body, delimiter: answer.delimiter, codes, wish };
  const { status, data, headers } = await http.request<Found | string>({
    method,
    url: address,
    ...(body === undefined ? {} : { data: body, headers: { 'content-type': 'application/json' } }),
    responseType: answer.body === 'json' ? 'json' : 'text',
    expect: [...answer.emptyStatuses, ...exactness.tooMuch],
    parse: async (bytes, { signal, ...head }) =>
      exactness.tooMuch.includes(head.status)
        ? ''
        : await evaluated({ ...question, ...head }, bytes, { source, signal }),
  });
  if (exactness.tooMuch.includes(status))
    throw tooMuch(`the platform answered ${status}, which means that the window is too long`);
  if (typeof data !== 'string') return data;
  // An answer without a body, or text with a status that the options expect.
  const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)] as const);
  const text = Buffer.from(JSON.stringify(data));
  const head = { body: 'json', charset: 'utf-8', headers: Object.fromEntries(named) } as const;
  return await evaluated({ ...question, ...head }, text, { source });
}

/** The values of expressions in a small document. */
export const valuesIn = <Values>(document: unknown, codes: Codes): Promise<Values> =>
  evaluated<Values>(
    { body: 'json', delimiter: ',', charset: 'utf-8', headers: {}, codes, wish: { kind: 'values' } },
    Buffer.from(JSON.stringify(document ?? null)),
    { source: JSON.stringify(codes) },
  );
