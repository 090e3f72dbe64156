import { setImmediate as letOthersRun } from 'node:timers/promises';

/** The character set that a `Content-Type` names, otherwise UTF-8. */
export const charsetOf = (contentType: string | undefined): string =>
  /charset\s*=\s*"?([^\s";]+)/i.exec(contentType ?? '')?.[1] ?? 'utf-8';

/** Bytes as text in a character set, in UTF-8 where there is no such one; without a byte order mark. */
export const decoded = (bytes: Uint8Array, charset: string): string => decoderFor(charset).decode(bytes);

function decoderFor(charset: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}

/** So many bytes are decoded at a time. */
const PIECE = 4 * 1024 * 1024;

/** As `decoded`, in pieces of a long text, between which others run: to put them together takes as long as to decode them. */
export async function decodedInPieces(bytes: Uint8Array, charset: string): Promise<readonly string[]> {
  if (bytes.length <= PIECE) return [decoded(bytes, charset)];
  const decoder = decoderFor(charset);
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += PIECE) {
    await letOthersRun();
    parts.push(decoder.decode(bytes.subarray(at, at + PIECE), { stream: true }));
  }
  parts.push(decoder.decode());
  return parts;
}
