import type { Readable } from 'node:stream';
import { setImmediate as letOthersRun } from 'node:timers/promises';
import { BridgeError } from '../../core/errors.ts';
import type { AnswerHead, AnswerParser } from '../http.ts';
import { charsetOf, decoded, decodedInPieces } from './charset.ts';
import { jsonInPieces } from './json-in-pieces.ts';
import { headerOf, requestName } from './layer.ts';
import type { PlatformAnswer, PlatformRequest } from './layer.ts';
import type { Redactor } from './redaction.ts';
import { unavailable } from './unreachable.ts';

/** At most this many characters of a page that cannot be parsed are kept for the operator. */
const PAGE_LENGTH = 2048;

/**
 * At most this much of an unwanted answer is read to keep its connection; for a longer one the connection is closed.
 */
const DISCARD_BYTES = 64 * 1024;

/** So many bytes are put together at a time: the memory for more takes the system longer than the event loop may be held. */
const TOGETHER_BYTES = 4 * 1024 * 1024;

/** All bytes of a body. Resolves once the body is closed, so that its slot is free by then. Lets others run between pieces of a long one. */
export async function collect(body: Readable): Promise<Buffer> {
  const chunks = await chunksOf(body);
  const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  if (length <= TOGETHER_BYTES) return Buffer.concat(chunks, length);
  const all = Buffer.allocUnsafeSlow(length);
  let [at, paused] = [0, 0];
  for (const chunk of chunks) {
    if (at - paused > TOGETHER_BYTES) {
      await letOthersRun();
      paused = at;
    }
    at += chunk.copy(all, at);
  }
  await letOthersRun();
  return all;
}

function chunksOf(body: Readable): Promise<readonly Buffer[]> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let failure: Error | null = body.errored;
    body.on('data', (chunk: Buffer) => chunks.push(chunk));
    body.on('error', (error: Error) => {
      failure = error;
    });
    const closed = (): void => (failure === null ? resolve(chunks) : reject(failure));
    if (body.closed) closed();
    else body.once('close', closed);
  });
}

/**
 * The beginning of a body; for a long body the connection is closed. Never throws, because half a reason still helps.
 */
export function beginning(body: Readable): Promise<Buffer> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    body.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > DISCARD_BYTES) body.destroy();
    });
    const closed = (): void => resolve(Buffer.concat(chunks).subarray(0, DISCARD_BYTES));
    if (body.closed) closed();
    else body.once('close', closed);
  });
}

/** Gives the slot back. Keeps the connection where the rest of the body is short. */
export async function discard(body: Readable): Promise<void> {
  await beginning(body);
}

/** Bytes as text in the character set of `Content-Type`, otherwise UTF-8; without a byte order mark. */
export const textOf = (bytes: Buffer, answer: PlatformAnswer): string => decoded(bytes, charsetOfAnswer(answer));

const charsetOfAnswer = ({ headers }: PlatformAnswer): string => charsetOf(headerOf(headers, 'content-type'));

/** The head of an answer as its parser gets it. */
export const answerHead = (answer: PlatformAnswer, { conversation }: PlatformRequest): AnswerHead => ({
  status: answer.status,
  headers: Object.fromEntries(
    Object.entries(answer.headers).map(([name, value]) => [name.toLowerCase(), String(value)]),
  ),
  charset: charsetOfAnswer(answer),
  signal: conversation.signal,
});

export const isWebPage = (text: string, answer: PlatformAnswer): boolean =>
  /html/i.test(headerOf(answer.headers, 'content-type') ?? '') || /^\s*<(!doctype\s+html|html|head|body)\b/i.test(text);

/**
 * The JSON of an answer. A web page, other text or an empty body is `contract-broken` with the redacted beginning.
 * JSON that ends early is `unavailable {reset}` where only the end of the connection marked the end of the answer. Errors of
 * `parse` other than a SyntaxError stay what they are.
 */
export async function parseJson(
  bytes: Buffer,
  answer: PlatformAnswer,
  request: PlatformRequest,
  redactor: Redactor,
  parse: AnswerParser | undefined,
): Promise<unknown> {
  try {
    return await parsed(bytes, answer, request, parse);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const text = textOf(bytes, answer);
    const name = requestName(request);
    const page = redactor.excerpt(text, PAGE_LENGTH);
    if (isWebPage(text, answer)) {
      throw broken(
        page,
        `${name}: answered with a web page, not JSON`,
        'check that the address is that of the API, not of its web interface, and that no login page or proxy answers instead of it',
      );
    }
    if (text.trim() === '') throw broken(page, `${name}: answered with nothing where JSON was expected`, CHECK_ADDRESS);
    if (endsEarly(error, text) && endsWithConnection(answer)) {
      throw unavailable('reset', `${name}: the answer broke off after ${bytes.length} bytes`);
    }
    throw broken(page, `${name}: answered with something that is not JSON${whereInvalid(error, text)}`, CHECK_ADDRESS);
  }
}

/** The JSON of an answer, or what the adapter makes of it. Throws a SyntaxError where it is none. */
export const parsed = async (
  bytes: Buffer,
  answer: PlatformAnswer,
  request: PlatformRequest,
  parse: AnswerParser | undefined,
): Promise<unknown> =>
  parse === undefined
    ? await jsonInPieces(await decodedInPieces(bytes, charsetOfAnswer(answer)))
    : await parse(bytes, answerHead(answer, request));

const CHECK_ADDRESS = 'check that the address is that of the API and that the platform is of a supported version';

const broken = (page: string, message: string, remedy: string): BridgeError =>
  new BridgeError({ code: 'contract-broken', page }, message, { remedy });

/**
 * The position at which V8 stopped, where its message names one. The message itself quotes the text, so it is not
 * used.
 */
function position(error: unknown, text: string): number | undefined {
  const message = error instanceof Error ? error.message : '';
  const found = /at position (\d+)/.exec(message);
  if (found) return Number(found[1]);
  return message.includes('end of JSON input') ? text.length : undefined;
}

const endsEarly = (error: unknown, text: string): boolean =>
  (position(error, text) ?? 0) >= text.length || (error instanceof Error && error.message.startsWith('Unterminated'));

const endsWithConnection = (answer: PlatformAnswer): boolean =>
  !answer.headers.has('content-length') && !answer.headers.has('transfer-encoding');

function whereInvalid(error: unknown, text: string): string {
  if (endsEarly(error, text)) return ': it ends early';
  const stopped = position(error, text);
  return stopped === undefined ? '' : `: it is invalid at character ${stopped}`;
}
