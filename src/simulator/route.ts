import { z } from 'zod';
import type { SimulatedAnswer, SimulatedPlatform, SimulatedRequest } from './contract.ts';

/** Thrown by a route for a request that the product answers with an error; `simulate` writes it in the product's form. */
export class Refused extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}

export interface Question<Query, Body> {
  /** The parts of the path that the route names, decoded. */
  readonly place: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
  /** The account whose credentials sign the request; empty where the route is open. */
  readonly user: string;
  readonly request: SimulatedRequest;
}

/** One call of a product. */
export interface Route<Query = unknown, Body = unknown> {
  /** The parameters of the query, each a text, or a list of texts where it is repeated. Without it no parameter is allowed. */
  readonly query?: z.ZodType<Query>;
  /** The body: parsed JSON, or the texts of a form. Without it no body is allowed. */
  readonly body?: z.ZodType<Body>;
  /** Whether it needs no credentials. */
  readonly open?: true;
  /** Anything but a `SimulatedAnswer` goes out as JSON with status 200. */
  readonly answer: (question: Question<Query, Body>) => unknown;
}

/** Ties the schemas of a route to the question that its `answer` gets. */
export const route = <Query, Body>(given: Route<Query, Body>): Route => given as unknown as Route;

/** Finds the account of a request; throws `Refused`, as a rule with 401. */
export type CredentialCheck = (request: SimulatedRequest) => string | Promise<string>;

export interface Product {
  /** By method and path, where `:name` stands for one part: `GET /streams/:id/data`. Paths match to the letter. */
  readonly routes: Readonly<Record<string, Route>>;
  readonly check: CredentialCheck;
  /** The product's answer with an error status. */
  readonly error: (status: number, message: string) => SimulatedAnswer;
  readonly invalidateTokens?: SimulatedPlatform['invalidateTokens'];
  readonly restart?: () => void;
  readonly state?: () => unknown;
}

/** A platform from its routes. It refuses every path, parameter and body that no route declares, as a strict server would. */
export function simulate({ routes, check, error, invalidateTokens, restart, state }: Product): SimulatedPlatform {
  const known = Object.entries(routes).map(([call, given]) => ({ ...patternOf(call), route: given }));

  async function answer(request: SimulatedRequest): Promise<SimulatedAnswer> {
    const here = known.filter(({ path }) => path.test(request.path));
    if (here.length === 0) throw new Refused(404, `no ${request.path}`);
    const found = here.find(({ method }) => method === request.method);
    if (found === undefined) throw new Refused(405, `no ${request.method} ${request.path}`);
    const user = found.route.open ? '' : await check(request);
    const place = Object.entries(found.path.exec(request.path)?.groups ?? {});
    const given = await found.route.answer({
      place: Object.fromEntries(place.map(([name, part]) => [name, decodeURIComponent(part)])),
      query: parsed(found.route.query, textsOf(request.query)),
      body: parsed(found.route.body, bodyOf(request)),
      user,
      request,
    });
    return isAnswer(given) ? given : { status: 200, body: JSON.stringify(given) };
  }

  return {
    async answer(request) {
      try {
        return await answer(request);
      } catch (cause) {
        if (!(cause instanceof Refused)) throw cause;
        const refused = error(cause.status, cause.message);
        return { ...refused, headers: { ...refused.headers, ...cause.headers } };
      }
    },
    errorAnswer: (status) => error(status, 'a fault of the simulator'),
    invalidateTokens(tokens) {
      if (invalidateTokens === undefined) throw new Error('this product has no tokens');
      invalidateTokens(tokens);
    },
    restart: () => restart?.(),
    state: () => state?.() ?? {},
  };
}

function patternOf(call: string): { method: string; path: RegExp } {
  const [method = '', path = ''] = call.split(' ');
  const parts = path
    .split(/:(\w+)/)
    .map((part, index) => (index % 2 === 1 ? `(?<${part}>[^/]+)` : part.replaceAll('.', String.raw`\.`)));
  return { method, path: new RegExp(`^${parts.join('')}$`) };
}

function parsed(schema: z.ZodType | undefined, given: unknown): unknown {
  const result = (schema ?? nothing).safeParse(given);
  if (!result.success) throw new Refused(400, z.prettifyError(result.error));
  return result.data;
}

const nothing = z.strictObject({});

/** Every parameter as a text, or as a list of texts where it comes more than once. */
export function textsOf(given: URLSearchParams): Record<string, string | string[]> {
  const names = [...new Set(given.keys())].map((name) => [name, given.getAll(name)] as const);
  return Object.fromEntries(names.map(([name, texts]) => [name, texts.length === 1 ? (texts[0] ?? '') : texts]));
}

function bodyOf({ headers, body }: SimulatedRequest): unknown {
  const type = headers['content-type'] ?? '';
  if (body === '') return {};
  if (type.startsWith('application/x-www-form-urlencoded')) return textsOf(new URLSearchParams(body));
  if (!type.startsWith('application/json')) throw new Refused(415, `content type ${type}`);
  try {
    return JSON.parse(body) as unknown;
  } catch {
    throw new Refused(400, 'the body is not JSON');
  }
}

const isAnswer = (given: unknown): given is SimulatedAnswer =>
  typeof given === 'object' &&
  given !== null &&
  'status' in given &&
  'body' in given &&
  typeof given.status === 'number';
