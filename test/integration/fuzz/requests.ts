import { NASTY, ODD } from './draw.ts';
import type { Draw } from './draw.ts';
import type { Operation, Parameter } from './operations.ts';
import type { Known, Walker } from './schema.ts';

/** A request to an operation. */
export interface FuzzRequest {
  readonly operation: Operation;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: string | Buffer | undefined;
  /** Whether method and path may lead to another operation, or to none. */
  readonly strayed: boolean;
}

/** Parts of a path as they stand in an address. */
const ODD_PARTS = [
  '',
  '.',
  '..',
  '%2e%2e',
  '%2E',
  '..%2f..%2f',
  '%00',
  'a%00b',
  '%ff',
  '%c0%af',
  '%ed%a0%80',
  '%',
  '%zz',
  '%u0041',
  'a%2fb',
  'a%5cb',
  '%0d%0aX-Injected:%201',
  '%F0%9F%98%80',
  '%E6%B8%A9',
  "'",
  '%22',
  ';a=b',
  '*',
  '0',
  '-1',
  '1.5',
  '1e3',
  '999999999',
  '9999999999',
  '99999999999999999999',
  'null',
  '__proto__',
  'x'.repeat(129),
  'x'.repeat(301),
  'x'.repeat(3_000),
];
const ODD_QUERIES = [
  '%',
  '%zz=1',
  '&&&=',
  '=',
  'a[]=1&a[]=2',
  '__proto__=1',
  'constructor=1',
  '%00=%00',
  'a=%ff',
  '?',
  '#',
  'limit',
];
const ODD_TYPES = [
  'text/plain',
  'application/json; charset=latin1',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  'x',
  '',
];
const ODD_BODIES: readonly (string | Buffer)[] = [
  '',
  ' ',
  'null',
  '[]',
  '{}',
  '"x"',
  '1e999',
  '{',
  '{"a":',
  '{"a":1}}',
  '\ufeff{}',
  '{"__proto__":{"role":"admin"}}',
  '{"constructor":{"prototype":{"a":1}}}',
  '{"a":1,"a":2}',
  `${'['.repeat(5_000)}`,
  `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`,
  `{"a":"${'x'.repeat(70_000)}"}`,
  Buffer.from([0xff, 0xfe, 0x7b, 0x7d]),
  Buffer.from([0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x3a, 0x31, 0x7d]),
  'a: &a [*a]',
  'a: [b, *c]',
  '--- a\n--- b',
  '%YAML 9.9\n---\n{}',
  '!!js/function x',
  '? {a: 1}\n: 2',
];

/** Characters that stand in an address as they are, so that NUL and others are escaped; half a pair becomes `%EF%BF%BD`. */
const escaped = (value: unknown): string =>
  encodeURIComponent((typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).toWellFormed());

/** A request to an operation: valid, nearly valid by one change, or random. `known` gives values of things that exist. */
export function requestOf(operation: Operation, walker: Walker, draw: Draw, known: Known): FuzzRequest {
  const { method, parameters, bodies } = operation;
  const wildness = draw.below(100);
  // 45 % valid, 40 % with one change in one part, the others with changes in any part.
  const parts = [
    ...parameters.map(({ in: place }) => place),
    ...(bodies.size > 0 ? (['body', 'body', 'bytes', 'type'] as const) : []),
    'query',
    'path',
    'method',
    'extra',
  ] as const;
  const changed = new Set<(typeof parts)[number]>(
    wildness < 45 ? [] : wildness < 85 ? [draw.one(parts)] : parts.filter(() => draw.happens(0.3)),
  );
  const { path, strayed } = pathOf(operation, walker, draw, known, changed.has('path'));
  const query = queryOf(parameters, walker, draw, known, changed.has('query'));
  const odd = changed.has('method') && draw.happens(0.3);
  return {
    operation,
    method: odd ? draw.one(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) : method,
    url: `${path}${query === '' ? '' : `?${query}`}`,
    ...bodyOf(operation, walker, draw, known, changed),
    strayed: strayed || odd,
  };
}

/** Parts that an address loses. */
const STRAYS = /\/(?:\.{0,2})(?:\/|$)/;

function pathOf(
  { path, parameters }: Operation,
  walker: Walker,
  draw: Draw,
  known: Known,
  isOdd: boolean,
): { path: string; strayed: boolean } {
  const names = parameters.filter((one) => one.in === 'path');
  const oddName = isOdd && names.length > 0 ? draw.one(names).name : undefined;
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    if (name === oddName) return draw.one(ODD_PARTS);
    const given = known(name);
    const schema = names.find((one) => one.name === name)?.schema ?? {};
    return escaped(given !== undefined && draw.happens(0.9) ? given : walker.valid(schema, draw));
  });
  if (!isOdd || oddName !== undefined) return { path: filled, strayed: isOdd || STRAYS.test(filled) };
  const stray = draw.one([
    `${filled}/`,
    `/${filled}`,
    filled.toUpperCase(),
    `${filled}/${draw.one(ODD_PARTS)}`,
    `${filled}x`,
  ]);
  return { path: stray, strayed: true };
}

function queryOf(parameters: readonly Parameter[], walker: Walker, draw: Draw, known: Known, isOdd: boolean): string {
  const all = parameters.filter((one) => one.in === 'query');
  const chosen = all.filter(({ required }) => required || draw.happens(0.25));
  const oddPlace = isOdd && chosen.length > 0 && draw.happens(0.8) ? draw.one(chosen) : undefined;
  const pairs = chosen.flatMap((parameter) => {
    const { name, schema } = parameter;
    const usual = known(name);
    const value = usual !== undefined && draw.happens(0.7) ? usual : walker.valid(schema, draw);
    if (parameter !== oddPlace) return [`${name}=${escaped(value)}`];
    const odd = draw.one([...NASTY, walker.nearly(schema, draw), draw.one(ODD)]);
    return draw.one([
      [`${name}=${escaped(odd)}`],
      [`${name}=${escaped(odd)}`],
      [],
      [`${name}=`],
      [name],
      [`${name}=${draw.one(ODD_PARTS)}`],
      [`${name}=${escaped(value)}`, `${name}=${escaped(value)}`],
    ]);
  });
  return [...pairs, ...(isOdd && oddPlace === undefined ? [draw.one(ODD_QUERIES)] : [])].join('&');
}

function bodyOf(
  { parameters, bodies, method }: Operation,
  walker: Walker,
  draw: Draw,
  known: Known,
  changed: ReadonlySet<string>,
): Pick<FuzzRequest, 'headers' | 'payload'> {
  const headers: Record<string, string> = {};
  for (const { name, in: place, schema } of parameters) {
    if (place !== 'header' || draw.happens(0.5)) continue;
    const value = changed.has('header') ? draw.one(NASTY) : (known(name) ?? walker.valid(schema, draw));
    headers[name] = String(value).replaceAll(/[^\x20-\x7e]/g, '?');
  }
  if (changed.has('extra'))
    headers[draw.one(['x-request-id', 'if-match', 'accept', 'cookie', 'x-forwarded-for', 'accept-encoding'])] =
      draw.one(['', '*', '"1"', ';;=', '%00', 'a'.repeat(200), '../..', '"', 'W/"x"']);
  if (method !== 'GET' && draw.happens(0.05))
    headers['if-match'] = draw.one(['*', '"1-1"', '"other"', String(known('revisionTag'))]);
  if (bodies.size === 0) {
    const isSent = method !== 'GET' && changed.has('extra');
    return {
      headers,
      payload: isSent ? draw.one(ODD_BODIES) : undefined,
      ...(isSent && { headers: { ...headers, 'content-type': 'application/json' } }),
    };
  }
  const types = [...bodies.keys()];
  const type = draw.happens(0.7) ? (types[0] as string) : draw.one(types);
  headers['content-type'] = changed.has('type') ? draw.one(ODD_TYPES) : type;
  const schema = bodies.get(type) ?? {};
  if (changed.has('bytes')) return { headers, payload: draw.one(ODD_BODIES) };
  // A body that is described as text is a document in a language of its own.
  const text = schema['type'] === 'string' ? known(changed.has('body') ? 'oddDocument' : 'document') : undefined;
  if (typeof text === 'string') return { headers, payload: text };
  const value = changed.has('body') ? walker.nearly(schema, draw, known) : walker.valid(schema, draw, known);
  if (type !== 'application/x-www-form-urlencoded') return { headers, payload: JSON.stringify(value) };
  const fields = Object.entries(value ?? {}).map(([name, field]) => `${escaped(name)}=${escaped(field)}`);
  return { headers, payload: fields.join('&') };
}
