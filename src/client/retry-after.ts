const DAY_MS = 86_400_000;

/**
 * How long an answer asks to wait, ms (RFC 9110, 10.2.3: seconds or an HTTP date), or undefined where it does not say.
 * A date is measured against the `Date` of the same answer, so that neither clock has to be right. A day at most.
 */
export function retryAfterMs(headers: Headers, nowMs: number): number | undefined {
  const text = headers.get('retry-after')?.trim() ?? '';
  const waitMs = /^\d+$/.test(text) ? Number(text) * 1000 : sinceDate(text, headers.get('date') ?? '', nowMs);
  return waitMs === undefined ? undefined : Math.min(Math.max(waitMs, 0), DAY_MS);
}

function sinceDate(text: string, date: string, nowMs: number): number | undefined {
  const until = httpDate(text);
  return until === undefined ? undefined : until - (httpDate(date) ?? nowMs);
}

/** Date.parse alone takes nearly anything for a date. */
function httpDate(text: string): number | undefined {
  if (!/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text)) return undefined;
  const parsed = Date.parse(text);
  return Number.isNaN(parsed) ? undefined : parsed;
}
