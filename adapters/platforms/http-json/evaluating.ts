import type { Fault } from '../../../src/core/errors.ts';
import type { Window } from '../../../src/core/window.ts';
import type { HttpJsonSettings } from './options.ts';
import type { Edge, Item } from './points.ts';
import type { Samples } from '../../../src/core/samples.ts';

/** The options with expressions that an evaluator is given, in the order in which it reports them; the first one is none. */
export const STEPS = [
  'answer.body',
  'answer.error',
  'answer.failed',
  'answer.points',
  'answer.empty',
  'exactness.count',
  'exactness.trailer',
  'paging.next',
  'sensors.each',
  'sensors.none',
  'authorisation.answer',
  'authorisation.seconds',
] as const;

/** An option with an expression. */
export type ExpressionOption = (typeof STEPS)[number];

/** The expressions of a question by their options. */
export type Codes = Readonly<Partial<Record<ExpressionOption, string | undefined>>>;

/** What a page of readings is asked for. */
export interface PageWish {
  readonly kind: 'page';
  /** The sensor of a question for one. */
  readonly only: string | undefined;
  readonly read: HttpJsonSettings['times']['read'];
  /** The declaration that the points are held against; without it they are not. */
  readonly held: { readonly window: Window; readonly order: HttpJsonSettings['exactness']['order'] } | undefined;
  /** `items`: one by one. `columns`: as samples. `told`: as samples, with a text that tells this page from another one. */
  readonly as: 'items' | 'columns' | 'told';
}

/** One answer of a platform with all that is to be found in it. Its bytes travel beside it. */
export interface Evaluation {
  readonly body: HttpJsonSettings['answer']['body'];
  readonly delimiter: string;
  readonly charset: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly codes: Codes;
  /** `values`: the value of each expression. */
  readonly wish: PageWish | { readonly kind: 'sensors' } | { readonly kind: 'values' };
}

/** One page of an answer. */
export interface Page {
  readonly count: number;
  readonly samples: readonly Samples[];
  readonly items: readonly Item[];
  /** What tells it from another page. */
  readonly print: string;
  /** The first and the last point of each sensor. */
  readonly edges: readonly Edge[];
  /** Sensors that could not be read, with the reason. */
  readonly failed: readonly { readonly sensor: string; readonly message: string }[];
  /** The link or cursor as it came. */
  readonly next: unknown;
  /** Items of all pages, where the answer says so. */
  readonly total: number | undefined;
  /** Whether the answer says that it is the last one; undefined where it has no such sign. */
  readonly isLast: boolean | undefined;
}

/** The sensors of an answer as columns. */
export interface ListedSensors {
  readonly ids: readonly string[];
  readonly names: readonly (string | null | undefined)[];
}

/** What a question took. `isFull`: the answer left so much in memory that the next one is for a new evaluator. */
export interface Spent {
  readonly milliseconds: number;
  readonly isFull: boolean;
}

/** How an evaluator ends a question. `syntax`: the bytes are no JSON. */
export type Reply = Spent &
  (
    | { readonly found: unknown }
    | { readonly syntax: string }
    | { readonly fault: Fault; readonly message: string; readonly remedy: string | undefined }
  );

/** The last words of an evaluator that ends itself. */
export interface LastWords {
  readonly step: number;
  readonly why: 'time' | 'memory';
}

/** Both lengths before a message: of the question and of the bytes that follow it. */
export const HEAD_BYTES = 8;

/** Takes messages out of a stream of bytes. */
export function messages(take: (head: Buffer, body: Buffer) => void): (chunk: Buffer) => void {
  let waiting: Buffer[] = [];
  let length = 0;
  let needed = HEAD_BYTES;
  return (chunk) => {
    waiting.push(chunk);
    length += chunk.length;
    while (length >= needed) {
      // The pieces are joined once for the lengths and once for the message, however many there are.
      const all = waiting.length === 1 ? (waiting[0] as Buffer) : Buffer.concat(waiting);
      waiting = [all];
      const first = all.readUInt32LE(0);
      needed = HEAD_BYTES + first + all.readUInt32LE(4);
      if (length < needed) return;
      const [head, body] = [all.subarray(HEAD_BYTES, HEAD_BYTES + first), all.subarray(HEAD_BYTES + first, needed)];
      const rest = all.subarray(needed);
      waiting = rest.length === 0 ? [] : [rest];
      length = rest.length;
      needed = HEAD_BYTES;
      take(head, body);
    }
  };
}

/** The lengths of a message and its parts, to be written one after the other. */
export function framed(head: Buffer, body: Uint8Array): Uint8Array[] {
  const lengths = Buffer.alloc(HEAD_BYTES);
  lengths.writeUInt32LE(head.length, 0);
  lengths.writeUInt32LE(body.length, 4);
  return body.length === 0 ? [lengths, head] : [lengths, head, body];
}
