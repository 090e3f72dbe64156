import type { Credentials } from '../contract.ts';

/** Takes the secrets of one connection out of text (law 8). */
export interface Redactor {
  /** The text without any known secret, and without whatever looks like one. */
  readonly redact: (text: string) => string;
  /** The redacted beginning of a long text; a secret that the cut would have halved is gone as well. */
  excerpt(text: string, length: number): string;
  /** Adds a secret that came up on the way: a token, a signed header. */
  learn(secret: string | undefined): void;
}

const MARK = '[redacted]';

/** Tokens come and go for years; those of the last hours are enough. */
const LEARNED_MAX = 64;

/** Shorter secrets would blank half of every message: they are taken out only where they stand alone. */
const SHORT = 4;

/** Fields of the connection that belong into messages; every other one is taken for secret. */
const PUBLIC_FIELD = /^(url|baseUrl|authUrl|user(name)?|clientId)$/i;

const SECRET_NAME = String.raw`[\w.-]*(?:password|passwd|passphrase|pwd|secret|token|api[-_]?key|authorization|credential|session|signature|assertion)[\w.-]*`;

/** What looks like a secret whether it is known or not; the first group stays. */
const LOOKS_SECRET: readonly RegExp[] = [
  /((?:^|[\s"'{,;])(?:proxy-)?(?:authorization|(?:set-)?cookie|x-api-key)["']?\s*:\s*["']?)[^\r\n"']+/gi,
  new RegExp(String.raw`(["']${SECRET_NAME}["']\s*:\s*)(?:"(?:[^"\\]|\\.)*"?|'[^']*'?|[^\s,}"']+)`, 'gi'),
  new RegExp(String.raw`(\b${SECRET_NAME}=)(?:"[^"]*"?|[^\s&"'<>;,]+)`, 'gi'),
  /([?&]p=)[^\s&"'<>]+/gi,
  /(\b(?:Basic|Bearer|Digest|Negotiate|ApiKey|Token)\s+)(?!\[|auth|realm|scheme|token|credential|access)[\w+/=.~-]{8,}/gi,
  /()\beyJ[\w-]{8,}\.[\w-]+(?:\.[\w-]*)?/g,
  /(\/\/)[^/\s@"']+(?=@)/g,
];

export function redactorFor(credentials: Credentials): Redactor {
  const learned = new Set<string>();
  let pattern: RegExp | undefined;

  /** Worked out when something is redacted: most connections never have to, and there are many of them. */
  const all = (): string[] => [...givenIn(credentials), ...learned].flatMap(forms);

  function redact(text: string): string {
    pattern ??= patternOf(all());
    let clean = text.replace(pattern, MARK);
    for (const look of LOOKS_SECRET) clean = clean.replace(look, `$1${MARK}`);
    return clean;
  }

  return {
    redact,
    excerpt(text, length) {
      if (text.length <= length) return redact(text);
      const cut = text.slice(0, length);
      return `${redact(cut.slice(0, cut.length - halfASecret(cut, all())))}…`;
    },
    learn(secret) {
      if (secret === undefined || secret === '' || learned.has(secret)) return;
      learned.add(secret);
      const [oldest] = learned;
      if (learned.size > LEARNED_MAX && oldest !== undefined) learned.delete(oldest);
      pattern = undefined;
    },
  };
}

/** The secret fields, and what HTTP Basic makes of them together with the public ones. */
function givenIn(credentials: Credentials): string[] {
  const fields = Object.entries(credentials);
  const secrets = fields.filter(([field]) => !PUBLIC_FIELD.test(field)).map(([, value]) => value);
  const names = fields.filter(([field]) => PUBLIC_FIELD.test(field)).map(([, value]) => value);
  return [...secrets, ...names.flatMap((name) => secrets.map((secret) => basicOf(name, secret)))];
}

/** How HTTP Basic writes the two (RFC 7617); logins use it too. */
const basicOf = (name: string, secret: string): string => Buffer.from(`${name}:${secret}`).toString('base64');

/** How a secret may be written in an address, a form, a page, JSON or a header. */
function forms(secret: string): string[] {
  if (secret === '') return [];
  const percent = encodeURIComponent(secret);
  return [
    secret,
    percent,
    percent.replaceAll('%20', '+'),
    new URLSearchParams({ '': secret }).toString().slice(1),
    JSON.stringify(secret).slice(1, -1),
    secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
    Buffer.from(secret).toString('base64'),
    Buffer.from(secret).toString('base64url'),
  ];
}

/** Longest first, or the rest of a long secret would stay behind a short one. */
function patternOf(secrets: readonly string[]): RegExp {
  const parts = [...new Set(secrets)]
    .toSorted((one, other) => other.length - one.length)
    .map((secret) => {
      const literal = secret.replace(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
      return secret.length < SHORT ? `(?<![\\w])${literal}(?![\\w])` : literal;
    });
  return new RegExp(parts.length === 0 ? '(?!)' : parts.join('|'), 'gi');
}

/** How many characters at the end of a text are the beginning of a secret. */
function halfASecret(text: string, secrets: readonly string[]): number {
  let longest = 0;
  for (const secret of secrets) {
    for (let length = Math.min(secret.length - 1, text.length); length > longest; length -= 1) {
      if (text.endsWith(secret.slice(0, length))) longest = length;
    }
  }
  return longest;
}
