/** What a form-encoded body says; an error of RFC 6749 section 3.2 instead: a field may be there once. */
export function formOf(text: string): ReadonlyMap<string, string> | { readonly repeated: string } {
  const fields = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(text)) {
    if (fields.has(name)) return { repeated: name };
    fields.set(name, value);
  }
  return fields;
}

/** Id and secret that no application has: what cannot be read is not right, rather than not there. */
const WRONG = { id: '', secret: '' };

/**
 * Credentials of HTTP Basic, both form-decoded (RFC 6749 section 2.3.1). Undefined where the header is not there or of
 * another scheme: clients that put their old access token on every request mean nothing by it.
 */
export function basicOf(header: string | undefined): { readonly id: string; readonly secret: string } | undefined {
  const [, encoded] = /^Basic +(.*)$/i.exec(header ?? '') ?? [];
  if (encoded === undefined) return /^Basic *$/i.test(header ?? '') ? WRONG : undefined;
  if (!/^[A-Za-z0-9+/]+={0,2} *$/.test(encoded)) return WRONG;
  const bytes = Buffer.from(encoded, 'base64');
  const pair = bytes.toString('utf8');
  const colon = pair.indexOf(':');
  if (colon < 0 || pair.includes('\ufffd')) return WRONG;
  const id = formDecoded(pair.slice(0, colon));
  const secret = formDecoded(pair.slice(colon + 1));
  return id === undefined || secret === undefined ? WRONG : { id, secret };
}

function formDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
