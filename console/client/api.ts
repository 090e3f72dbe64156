/** The only way from a page to the bridge: an operation of its API by name, with the types of its document. */
import { PLACES } from './operations.ts';
import type { OperatorProblem, Operations } from './operations.ts';

export type OperationName = keyof Operations;

/** What an operation takes: parameters of its path and query, and its body, as far as it has them. */
export type Given<Name extends OperationName> = Omit<Operations[Name], 'answer'>;

export type Answer<Name extends OperationName> = Operations[Name]['answer'];

export interface AskOptions {
  /** The page asks by itself, so the request does not prolong the session. */
  readonly unattended?: boolean;
  /** The tag of the thing as it was read: the change is refused where it is another meanwhile. */
  readonly ifMatch?: string | undefined;
  /** A create that is sent again with the same key is made once. */
  readonly idempotencyKey?: string | undefined;
  /** Creates only. */
  readonly ifNone?: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** A request that the bridge refused, or that did not reach it (`status` 0). */
export class Refusal extends Error {
  readonly status: number;
  readonly problem: Partial<OperatorProblem>;

  constructor(status: number, problem: Partial<OperatorProblem>) {
    super(problem.detail ?? problem.title ?? `status ${status}`);
    this.status = status;
    this.problem = problem;
  }

  /** The last part of the type, such as `wrong-password`. */
  get code(): string {
    return this.problem.type?.replace(/.*:/, '') ?? '';
  }
}

/** So soon what passes by itself is asked for again, ms: no answer at all, and none at present (503). */
const PASSES_MS: Readonly<Record<number, number>> = { 0: 700, 503: 5_000 };

/** How long to wait before a page asks again by itself, ms; undefined where it would be refused just so. */
export const waitAfter = ({ status }: Refusal): number | undefined => PASSES_MS[status];

/** The sign-in that requests go with. The session room fills it. */
export const credentials: Credentials = {
  csrfToken: undefined,
  ended: () => undefined,
  renew: () => Promise.resolve(false),
  confirm: () => Promise.resolve(false),
};

interface Credentials {
  csrfToken: string | undefined;
  /** The session has ended. */
  ended: () => void;
  /** Takes the token of a session that another tab has begun; whether it is another token. */
  renew: () => Promise<boolean>;
  /** Asks the operator for its password again; whether it was given. */
  confirm: () => Promise<boolean>;
}

/** How much the clock of the bridge is ahead of the browser's, ms: ages are shown by the bridge's. */
let aheadMs = 0;

/** The time at the bridge, ms since 1970. */
export const bridgeNow = (): number => Date.now() + aheadMs;

/** How long after the last touch of a key or a pointer an operator counts as present, ms. */
const PRESENCE_MS = 60_000;
let touchedAt = Date.now();
for (const kind of ['pointerdown', 'keydown', 'click'])
  window.addEventListener(kind, () => (touchedAt = Date.now()), { capture: true, passive: true });
const isAttended = (): boolean => Date.now() - touchedAt < PRESENCE_MS;

/** An answer that has not begun by then will not come, ms, nor will the rest of one that is not read line by line. */
const PATIENCE_MS = 60_000;

/** Asks for the answer of an operation. Throws `Refusal`. */
export async function ask<Name extends OperationName>(
  name: Name,
  given: Given<Name>,
  options: AskOptions = {},
): Promise<Answer<Name>> {
  const late = new AbortController();
  const { signal } = options;
  const either = signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]);
  const { dryRun } = (given as { readonly query?: { readonly dryRun?: string } }).query ?? {};
  const response =
    CREATES.has(name) && dryRun !== 'true'
      ? await sendOnce(name, given, { ...options, signal: either })
      : await send(name, given, { ...options, signal: either });
  const timer = setTimeout(() => late.abort(), PATIENCE_MS);
  try {
    if (response.status === 204) return null as Answer<Name>;
    const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
    return (isJson ? await response.json() : await response.text()) as Answer<Name>;
  } catch (error) {
    throw signal?.aborted ? error : unanswered();
  } finally {
    clearTimeout(timer);
  }
}

/** Operations that make something, and would make it twice where their answer was lost. */
const CREATES: ReadonlySet<OperationName> = new Set([
  'startBackfill',
  'createApplication',
  'createOperator',
  'createOperatorToken',
  'createOperatorLink',
  'createProject',
  'applySource',
] as const);

/** The keys of requests whose end is not known. */
const openKeys = new Map<string, string>();

/** Sends a create with a key that stays the same until its end is known: the same request, sent again, is done once. */
async function sendOnce<Name extends OperationName>(
  name: Name,
  given: Given<Name>,
  options: AskOptions,
): Promise<Response> {
  const request = JSON.stringify([name, given, options.ifMatch, options.ifNone]);
  // Pages of plain HTTP have no randomUUID.
  const key = openKeys.get(request) ?? [...crypto.getRandomValues(new Uint32Array(4))].join('-');
  openKeys.set(request, key);
  try {
    const response = await send(name, given, { ...options, idempotencyKey: key });
    openKeys.delete(request);
    return response;
  } catch (error) {
    if (error instanceof Refusal && error.status >= 400 && error.status < 500) openKeys.delete(request);
    throw error;
  }
}

/** The documents of an answer that comes line by line. Throws `Refusal`, also for a line that is an error. */
export async function* lines<Name extends OperationName>(
  name: Name,
  given: Given<Name>,
  options: AskOptions = {},
): AsyncGenerator<Readonly<Record<string, unknown>>> {
  const { body } = await send(name, given, options);
  for await (const text of textLines(body)) {
    const line = JSON.parse(text) as Readonly<Record<string, unknown>>;
    if (line['error'] !== undefined) throw new Refusal(500, line['error'] as Partial<OperatorProblem>);
    yield line;
  }
}

/** The lines of a body as they come, without their ends. */
export async function* textLines(body: ReadableStream<Uint8Array> | null): AsyncGenerator<string> {
  const reader = body?.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let rest = '';
  for (let part = await reader?.read(); part !== undefined && !part.done; part = await reader?.read()) {
    const texts = `${rest}${part.value}`.split('\n');
    rest = texts.pop() ?? '';
    yield* texts;
  }
  if (rest !== '') yield rest;
}

/** Sends a request, and gives the answer before its body. Throws `Refusal`. */
export async function send<Name extends OperationName>(
  name: Name,
  given: Given<Name>,
  options: AskOptions = {},
  more: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const request = requestOf(name, given);
  try {
    return await sendRequest(request, options, more);
  } catch (error) {
    // Before access is handed out the bridge may want the password again; the request then goes on as if nothing had been.
    if (error instanceof Refusal && error.code === 'foreign-page' && (await credentials.renew()))
      return await sendRequest(request, options, more);
    const isOpen = error instanceof Refusal && error.code === 'confirmation-needed';
    if (!isOpen || !(await credentials.confirm())) throw error;
    return await sendRequest(request, options, more);
  }
}

const unanswered = (): Refusal => new Refusal(0, { title: 'The bridge did not answer.' });

async function sendRequest(
  { method, url, body }: Request,
  { unattended = false, ifMatch, ifNone = false, idempotencyKey, signal }: AskOptions,
  more: Readonly<Record<string, string>>,
): Promise<Response> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), PATIENCE_MS);
  let response: Response;
  try {
    response = await fetch(url, {
      method,
      credentials: 'same-origin',
      headers: {
        ...(body !== undefined && {
          'content-type': typeof body === 'string' ? 'application/yaml' : 'application/json',
        }),
        ...(method !== 'GET' && credentials.csrfToken !== undefined && { 'x-csrf-token': credentials.csrfToken }),
        ...((unattended || !isAttended()) && { 'x-databridge-unattended': 'true' }),
        ...(ifMatch !== undefined && { 'if-match': ifMatch }),
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
        ...(ifNone && { 'if-none-match': '*' }),
        ...more,
      },
      signal: signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]),
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw unanswered();
  } finally {
    clearTimeout(timer);
  }
  const date = Date.parse(response.headers.get('date') ?? '');
  // A header is exact to the second only.
  if (Number.isFinite(date) && Math.abs(date - bridgeNow()) > 2_000) aheadMs = date - Date.now();
  if (response.ok) return response;
  const problem = (await response.json().catch(() => ({}))) as Partial<OperatorProblem>;
  const refusal = new Refusal(response.status, problem);
  if (refusal.status === 401 && refusal.code === 'unauthenticated') credentials.ended();
  throw refusal;
}

/** The address of an operation that a link leads to, such as a download. */
export function addressOf<Name extends OperationName>(name: Name, given: Given<Name>): string {
  return requestOf(name, given).url;
}

interface Request {
  readonly method: string;
  readonly url: string;
  readonly body: unknown;
}

function requestOf(name: OperationName, given: object): Request {
  const {
    params = {},
    query = {},
    body,
  } = given as {
    params?: Readonly<Record<string, unknown>>;
    query?: Readonly<Record<string, unknown>>;
    body?: unknown;
  };
  const [method = '', place = ''] = PLACES[name].split(' ');
  const path = place.replaceAll(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(String(params[key])));
  const asked = Object.entries(query).flatMap(([key, value]) =>
    isAsked(value) ? [[key, String(value)] as [string, string]] : [],
  );
  const search = asked.length === 0 ? '' : `?${new URLSearchParams(asked)}`;
  return { method, url: `/api/v1${path}${search}`, body };
}

const isAsked = (value: unknown): value is string | number | boolean =>
  ['string', 'number', 'boolean'].includes(typeof value) && value !== '';
