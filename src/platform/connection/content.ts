import type { Readable } from 'node:stream';
import { BridgeError } from '../../core/errors.ts';
import { headerOf, requestName } from './layer.ts';
import type { PlatformAnswer, PlatformRequest } from './layer.ts';
import type { Redactor } from './redaction.ts';
import { unavailable } from './unreachable.ts';

/** So much of a page that cannot be read is kept for the operator. */
const PAGE_LENGTH = 2048;

/** So much of an answer nobody wants is read to keep its connection; a longer one is cut off. */
const DISCARD_BYTES = 64 * 1024;

/** All of a body, once it is closed, so that its slot is free by then. */
export function collect(body: Readable): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let failure: Error | null = body.errored;
    body.on('data', (chunk: Buffer) => chunks.push(chunk));
    body.on('error', (error: Error) => {
      failure = error;
    });
    const closed = (): void => (failure === null ? resolve(Buffer.concat(chunks)) : reject(failure));
    if (body.closed) closed();
    else body.once('close', closed);
  });
}

/** The beginning of a body whose connection may be lost over it. Never throws: half a reason is better than none. */
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

/** Gives the slot back and, where that is cheap, keeps the connection. */
export async function discard(body: Readable): Promise<void> {
  await beginning(body);
}

/** Text in the character set its `Content-Type` names, UTF-8 otherwise; without a byte order mark. */
export function textOf(bytes: Buffer, answer: PlatformAnswer): string {
  const charset = /charset\s*=\s*"?([^\s";]+)/i.exec(headerOf(answer.headers, 'content-type') ?? '')?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

export const isWebPage = (text: string, answer: PlatformAnswer): boolean =>
  /html/i.test(headerOf(answer.headers, 'content-type') ?? '') || /^\s*<(!doctype\s+html|html|head|body)\b/i.test(text);

/**
 * The JSON of an answer. A web page, other text and nothing at all are `contract-broken` with the redacted beginning;
 * JSON that ends early in an answer which only the end of the connection ended is `unavailable {reset}`.
 */
export function parseJson(
  bytes: Buffer,
  answer: PlatformAnswer,
  request: PlatformRequest,
  redactor: Redactor,
): unknown {
  const text = textOf(bytes, answer);
  try {
    return JSON.parse(text);
  } catch (error) {
    const name = requestName(request);
    const page = redactor.excerpt(text, PAGE_LENGTH);
    if (isWebPage(text, answer)) {
      throw broken(
        page,
        `${name}: answered with a web page, not JSON`,
        'check that the address is that of the API, not of its web interface, and that no login page or proxy stands before it',
      );
    }
    if (text.trim() === '') throw broken(page, `${name}: answered with nothing where JSON was expected`, CHECK_ADDRESS);
    if (endsEarly(error, text) && endsWithConnection(answer)) {
      throw unavailable('reset', `${name}: the answer broke off after ${bytes.length} bytes`);
    }
    throw broken(page, `${name}: answered with something that is not JSON${place(error, text)}`, CHECK_ADDRESS);
  }
}

const CHECK_ADDRESS = 'check that the address is that of the API and that the platform is of a supported version';

const broken = (page: string, message: string, remedy: string): BridgeError =>
  new BridgeError({ code: 'contract-broken', page }, message, { remedy });

/** Where V8 stopped, where it says so; its message also quotes the text, which must not travel. */
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

function place(error: unknown, text: string): string {
  if (endsEarly(error, text)) return ': it ends early';
  const stopped = position(error, text);
  return stopped === undefined ? '' : `: it goes wrong at character ${stopped}`;
}
