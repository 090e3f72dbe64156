import { Readable } from 'node:stream';
import { collect } from './content.ts';
import type { Send } from './layer.ts';

/** An answer as the platform gave it. */
export interface RecordedAnswer {
  readonly status: number;
  readonly bytes: Buffer;
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
        answered({ status: answer.status, bytes });
        return { ...answer, body: Readable.from(bytes.length === 0 ? [] : [bytes], { objectMode: false }) };
      };
