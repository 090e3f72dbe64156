/** The character set that a `Content-Type` names, otherwise UTF-8. */
export const charsetOf = (contentType: string | undefined): string =>
  /charset\s*=\s*"?([^\s";]+)/i.exec(contentType ?? '')?.[1] ?? 'utf-8';

/** Bytes as text in a character set, in UTF-8 where there is no such one; without a byte order mark. */
export function decoded(bytes: Uint8Array, charset: string): string {
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}
