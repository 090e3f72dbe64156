/** The fields of a form-encoded body, or a field that it repeats, which RFC 6749 section 3.2 forbids. */
export function formOf(text: string): ReadonlyMap<string, string> | { readonly repeated: string } {
  const fields = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(text)) {
    if (fields.has(name)) return { repeated: name };
    fields.set(name, value);
  }
  return fields;
}

/** Credentials that no application has: those that cannot be read are wrong, not missing. */
const UNREADABLE = { id: '', secret: '' };

/**
 * Id and secret of HTTP Basic, form-decoded (RFC 6749 section 2.3.1). Undefined where the header is missing or has another
 * scheme, because some clients put their old access token on every request.
 */
export function basicOf(header: string | undefined): { readonly id: string; readonly secret: string } | undefined {
  const [, encoded] = /^Basic +(.*)$/i.exec(header ?? '') ?? [];
  if (encoded === undefined) return /^Basic *$/i.test(header ?? '') ? UNREADABLE : undefined;
  if (!/^[A-Za-z0-9+/]+={0,2} *$/.test(encoded)) return UNREADABLE;
  const bytes = Buffer.from(encoded, 'base64');
  const pair = bytes.toString('utf8');
  const colon = pair.indexOf(':');
  if (colon < 0 || pair.includes('\ufffd')) return UNREADABLE;
  const id = formDecoded(pair.slice(0, colon));
  const secret = formDecoded(pair.slice(colon + 1));
  return id === undefined || secret === undefined ? UNREADABLE : { id, secret };
}

function formDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
