import { Readable } from 'node:stream';
import type { AxiosHeaders } from 'axios';
import { collect } from './content.ts';
import type { Send } from './layer.ts';

/** An answer as the platform gave it. */
export interface RecordedAnswer {
  readonly status: number;
  readonly bytes: Buffer;
  /** The headers that say how a list goes on or how long it is, by names in lower case. Others may hold cookies and tokens. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Called when a request of the adapter begins; the function it returns takes the answer. Requests without an answer have none. */
export type Recording = () => (answer: RecordedAnswer) => void;

/** Hands each answer over before anybody judges it. It is read whole for that, so this is for checks that an operator watches. */
export const onTape = (record: Recording | undefined, send: Send): Send =>
  record === undefined
    ? send
    : async (request) => {
        const answered = record();
        const answer = await send(request);
        const bytes = await collect(answer.body);
        answered({ status: answer.status, bytes, headers: listHeaders(answer.headers) });
        return { ...answer, body: Readable.from(bytes.length === 0 ? [] : [bytes], { objectMode: false }) };
      };

const OF_LISTS = /^link$|count|total|page|cursor|continuation|next/;
const OF_LOGINS = /cookie|auth|key|session/;

function listHeaders(headers: AxiosHeaders): Record<string, string> {
  const named = Object.entries(headers.toJSON()).map(([name, value]) => [name.toLowerCase(), value] as const);
  const kept = named.filter(
    ([name, value]) => typeof value === 'string' && OF_LISTS.test(name) && !OF_LOGINS.test(name),
  );
  return Object.fromEntries(kept) as Record<string, string>;
}
