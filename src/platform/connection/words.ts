/** The keys under which platforms put the reason of a refusal in JSON, the most informative first. */
const REASON_KEYS = [
  'error_description',
  'detail',
  'message',
  'Message',
  'error',
  'Errors',
  'errors',
  'title',
  'Reason',
  'reason',
];

/**
 * The reason a platform gives for a refusal, on one line: a field of its JSON, the text of its page, or ''. Neither
 * redacted nor shortened.
 */
export function platformWords(text: string): string {
  const trimmed = text.trim();
  if (trimmed === '') return '';
  let words: string | undefined;
  if (trimmed.startsWith('{') || trimmed.startsWith('[')) {
    try {
      words = fromJson(JSON.parse(trimmed), 0);
    } catch {
      words = undefined;
    }
  } else if (trimmed.startsWith('<')) {
    words = fromPage(trimmed);
  }
  return (words ?? trimmed).replace(/\s+/g, ' ').trim();
}

function fromJson(value: unknown, depth: number): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value;
  if (depth > 3 || typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) return fromJson(value[0], depth + 1);
  const fields = new Map<string, unknown>(Object.entries(value));
  for (const key of REASON_KEYS) {
    const words = fromJson(fields.get(key), depth + 1);
    if (words !== undefined) return words;
  }
  return undefined;
}

function fromPage(page: string): string {
  const title = /<title[^>]*>([^<]*)<\/title>/i.exec(page)?.[1];
  if (title !== undefined && title.trim() !== '') return title;
  return page.replace(/<(script|style)[\s\S]*?<\/\1>/gi, ' ').replace(/<[^>]*>/g, ' ');
}
