/** On every answer that is no page: no cache keeps it, no page shows it in a frame, and no browser takes it for a page. */
export const SAFE_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': `default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const;

/** On every answer of a server that is reached over TLS: browsers ask this host, and hosts below it, over TLS alone for a year. */
export const TLS_ONLY = { 'strict-transport-security': 'max-age=31536000; includeSubDomains' } as const;
