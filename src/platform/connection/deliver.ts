import type { AxiosResponse, InternalAxiosRequestConfig } from 'axios';
import { answerHead, collect, parseJson, parsed, textOf } from './content.ts';
import type { PlatformAnswer, PlatformRequest } from './layer.ts';
import type { Redactor } from './redaction.ts';

/** Whether an answer never has a body, by its method and status. */
const isBodiless = (answer: PlatformAnswer, request: PlatformRequest): boolean =>
  request.method === 'HEAD' || answer.status === 204 || answer.status === 205 || answer.status === 304;

/**
 * The answer as the adapter gets it, by `responseType`: `json` (default) parsed, `text`, `arraybuffer` as a Buffer, or
 * `stream`. Text where JSON was asked for is an error, except with a status that the adapter expects: then the text is
 * returned. Answers without a body give ''. A `parse` of the adapter takes the place of the parser.
 */
export async function responseOf(
  answer: PlatformAnswer,
  request: PlatformRequest,
  config: InternalAxiosRequestConfig,
  redactor: Redactor,
): Promise<AxiosResponse> {
  return {
    data: await dataOf(answer, request, config, redactor),
    status: answer.status,
    statusText: answer.statusText,
    headers: answer.headers,
    config,
  };
}

async function dataOf(
  answer: PlatformAnswer,
  request: PlatformRequest,
  { responseType: type = 'json', parse }: InternalAxiosRequestConfig,
  redactor: Redactor,
): Promise<unknown> {
  if (type === 'stream') return answer.body;
  const bytes = await collect(answer.body);
  if (type === 'arraybuffer') return bytes;
  if (type === 'text') {
    return parse === undefined ? textOf(bytes, answer) : await parse(bytes, answerHead(answer, request));
  }
  if (type !== 'json') throw new TypeError(`an answer cannot be delivered as ${type}`);
  if (isBodiless(answer, request)) return '';
  if (answer.status >= 200 && answer.status < 300) return await parseJson(bytes, answer, request, redactor, parse);
  try {
    return await parsed(bytes, answer, request, parse);
  } catch (error) {
    // With a status that the adapter expects, text counts as well as JSON.
    if (!(error instanceof SyntaxError)) throw error;
    return textOf(bytes, answer);
  }
}
