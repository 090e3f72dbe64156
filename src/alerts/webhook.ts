import { createHmac } from 'node:crypto';
import type { GuardedFetch } from '../platform/connection/outgoing.ts';
import type { AlertMessage } from './message.ts';

/** A webhook has so long to answer, ms. */
const PATIENCE_MS = 10_000;

/** The signature of a body: HMAC-SHA256 of the time in seconds, a dot and the body, in hex. */
export const signatureOf = (key: string, seconds: number, body: string): string =>
  createHmac('sha256', key).update(`${seconds}.${body}`).digest('hex');

/** An answer that is no success; it is known that the message was not taken. */
export class NotTaken extends Error {
  override readonly name = 'NotTaken';
}

/**
 * Posts a message. `key` signs it. Follows no redirect, and goes through the egress guard as every request of the bridge. Throws
 * `NotTaken` where the webhook answered with another status than 2xx; other errors leave open whether the message arrived.
 */
export async function postMessage(
  fetch: GuardedFetch,
  { url, key }: { readonly url: string; readonly key: string | undefined },
  { id, title, text, ...content }: AlertMessage,
  nowMs: number,
): Promise<void> {
  const body = JSON.stringify({ message: id, title, text: `${title}\n${text}`, ...content });
  const seconds = Math.floor(nowMs / 1000);
  const answer = await fetch(new URL(url), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'user-agent': 'databridge',
      'databridge-message': id,
      ...(key !== undefined && { 'databridge-signature': `t=${seconds},v1=${signatureOf(key, seconds, body)}` }),
    },
    body,
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  await answer.body?.cancel();
  if (!answer.ok) throw new NotTaken(`it answered ${answer.status}`);
}
