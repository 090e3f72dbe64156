import { READ_BACKS_PER_MINUTE } from './read-back-schema.ts';

interface Header {
  readonly type: 'string' | 'integer';
  readonly description: string;
}

const HEADERS = {
  'X-Request-Id': { type: 'string', description: 'The id of the request: the one that it had, or a new one.' },
  'Retry-After': { type: 'integer', description: 'Seconds after which the same request may work.' },
  'WWW-Authenticate': { type: 'string', description: 'How to authenticate, and the fault of the token (RFC 6750).' },
  'Accept-Encoding': { type: 'string', description: 'The packings of a body that are accepted.' },
  RateLimit: { type: 'string', description: 'Requests left (`r`), and seconds until all are back (`t`).' },
  'RateLimit-Policy': {
    type: 'string',
    description: `At most ${READ_BACKS_PER_MINUTE} requests (\`q\`) in 60 seconds (\`w\`).`,
  },
} as const satisfies Record<string, Header>;

/** The headers of an answer, besides those of every HTTP answer. */
function headersOf(status: string, url: string): Readonly<Record<string, Header>> {
  const names: (keyof typeof HEADERS)[] = ['X-Request-Id'];
  if (status === '401') names.push('WWW-Authenticate');
  if (status === '429' || status === '503') names.push('Retry-After');
  if (status === '415') names.push('Accept-Encoding');
  if (url.endsWith('/sensors') && (status === '200' || status === '429')) names.push('RateLimit', 'RateLimit-Policy');
  return Object.fromEntries(names.map((name) => [name, HEADERS[name]]));
}

interface Answer {
  headers?: Readonly<Record<string, Header>>;
  content?: Record<string, { example?: unknown }>;
}

type Answers = Readonly<Record<string, Answer>>;

/** Puts examples and headers into the answers of a route, because the transformation keeps only their schemas. */
export function withAnswers<T extends { schema: { response?: unknown }; url: string }>(
  documented: { readonly response?: unknown } | undefined,
  transformed: T,
  typeBase: string,
): T {
  const shown = (transformed.schema?.response ?? {}) as Answers;
  for (const [status, { content }] of Object.entries((documented?.response ?? {}) as Answers)) {
    const answer = shown[status];
    if (answer === undefined) continue;
    answer.headers = headersOf(status, transformed.url);
    for (const [type, { example }] of Object.entries(content ?? {})) {
      const place = answer.content?.[type];
      if (place && example !== undefined) place.example = isProblem(example) ? typed(example, typeBase) : example;
    }
  }
  return transformed;
}

const isProblem = (example: unknown): example is { readonly code: string } =>
  typeof example === 'object' && example !== null && 'code' in example && 'instance' in example;

const typed = (example: { readonly code: string }, typeBase: string): unknown => ({
  ...example,
  type: `${typeBase}${example.code}`,
});
