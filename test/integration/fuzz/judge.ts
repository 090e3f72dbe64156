import type { Schema, Walker } from './schema.ts';
import type { FuzzRequest } from './requests.ts';

/** An answer as the fuzz judges it. */
export interface FuzzAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** Words of an answer that tells about the inside of the service. */
const INSIDE =
  /\.[cm]?(?:ts|js):\d+|node_modules|node:internal|\/src\/\w|\.ts\b|\bselect\b.* from |\binsert into\b|pg_|violates|invalid input syntax|byte sequence/i;

/** Tokens and digests. They hold any letters, so one token in some thousand holds `pg_` by chance. */
const RANDOM_WORD = /[\w-]{40,}/g;

/** The first words of an answer that tell about the inside of the service; undefined where there are none. */
export const insideOf = (answer: string): string | undefined => INSIDE.exec(answer.replace(RANDOM_WORD, '…'))?.[0];

/** What is wrong with an answer by the document of the server alone; undefined where nothing is. */
export function faultOf(
  { operation, strayed }: FuzzRequest,
  { status, headers, text }: FuzzAnswer,
  {
    walker,
    secrets,
    causedStatus,
  }: { readonly walker: Walker; readonly secrets: readonly string[]; readonly causedStatus: readonly number[] },
): string | undefined {
  if (status >= 500 && !causedStatus.includes(status)) return `it is answered ${status}`;
  const whole = `${JSON.stringify(headers)} ${text}`;
  const inside = insideOf(whole);
  if (inside !== undefined) return `the answer tells of the inside: ${inside}`;
  if (text.includes('"code":"bug"')) return 'the answer tells of an error of the bridge';
  if (headers['x-injected'] !== undefined) return 'a header of the answer was injected';
  if (secrets.some((secret) => whole.includes(secret))) return 'the answer holds a secret';
  const documented =
    operation.answers.get(String(status)) ?? (status >= 400 ? operation.answers.get('default') : undefined);
  if (documented === undefined)
    return strayed && (status === 404 || status === 405 || status < 400)
      ? undefined
      : `status ${status} is not documented`;
  if (strayed) return undefined;
  const type = /^[^;]*/.exec(headers['content-type'] as string)?.[0] ?? '';
  if (documented.size === 0) return text === '' ? undefined : 'the answer has a body';
  const schema = documented.get(type);
  if (schema === undefined) return `content type ${type} is not documented`;
  return bodyFault(walker, type, schema, text) ?? problemFault(type, status, headers, text);
}

function bodyFault(walker: Walker, type: string, schema: Schema, text: string): string | undefined {
  if (!type.endsWith('json')) return undefined;
  try {
    const fault = walker.faultIn(schema, type === 'application/x-ndjson' ? text : JSON.parse(text));
    return fault === undefined ? undefined : `the answer is not as documented: ${fault}`;
  } catch {
    return 'the answer is no JSON';
  }
}

function problemFault(type: string, status: number, headers: FuzzAnswer['headers'], text: string): string | undefined {
  if (type !== 'application/problem+json') return undefined;
  const problem = JSON.parse(text) as Readonly<Record<string, unknown>>;
  if (problem['status'] !== status) return 'the problem has another status';
  const id = String(headers['x-request-id']);
  return problem['instance'] === `urn:databridge:request:${id}` ? undefined : 'the problem has another instance';
}
