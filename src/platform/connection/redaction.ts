import type { Credentials } from '../contract.ts';

/** Takes the secrets of one connection out of text (law 8). */
export interface Redactor {
  /** The text without any known secret, and without text that looks like one. */
  readonly redact: (text: string) => string;
  /** The redacted beginning of a long text, without half a secret at the cut. */
  excerpt(text: string, length: number): string;
  /** Adds a secret that came later: a token, a signed header. */
  learn(secret: string | undefined): void;
}

const MARK = '[redacted]';

/** At most this many secrets are added, because tokens change for years; the oldest is forgotten first. */
const LEARNED_MAX = 64;

/** Secrets shorter than this are taken out only where they stand alone, because they are part of many words. */
const SHORT = 4;

/** Fields of the connection that messages may show; every other field counts as secret. */
const PUBLIC_FIELD = /^(url|baseUrl|authUrl|user(name)?|clientId)$/i;

/** Words in the names of fields and parameters that hold a secret. */
const SECRET_WORD =
  /password|passwd|passphrase|pwd|secret|token|api[-_]?key|authorization|credential|session|signature|assertion/i;

/** Text that looks like a secret by its own form. The first group of each pattern stays. */
const LOOKS_SECRET: readonly RegExp[] = [
  /((?:^|[\s"'{,;])(?:proxy-)?(?:authorization|(?:set-)?cookie|x-api-key)["']?\s*:\s*["']?)[^\r\n"']+/gi,
  /([?&]p=)[^\s&"'<>]+/gi,
  /(\b(?:Basic|Bearer|Digest|Negotiate|ApiKey|Token)\s+)(?!\[|auth|realm|scheme|token|credential|access)[\w+/=.~-]{8,}/gi,
  /(\/\/)[^/\s@"']+(?=@)/g,
];

/**
 * Names with what stands between them and their value, and the value at that place. A name is taken as a whole and judged by
 * `SECRET_WORD` afterwards: one pattern for both tries each part of a long name, which takes the cube of its length.
 */
const NAMED: readonly { readonly name: RegExp; readonly value: RegExp }[] = [
  { name: /["']([\w.-]+)["']\s*:\s*/g, value: /"(?:[^"\\]|\\.)*"?|'[^']*'?|[^\s,}"']+/y },
  { name: /(?<![\w.-])([\w.-]+)=/g, value: /"[^"]*"?|[^\s&"'<>;,]+/y },
];

/** The text without the values of fields or parameters whose names sound secret. */
function withoutNamed(text: string, { name, value }: (typeof NAMED)[number]): string {
  let clean = '';
  let kept = 0;
  name.lastIndex = 0;
  for (let found = name.exec(text); found !== null; found = name.exec(text)) {
    value.lastIndex = name.lastIndex;
    if (!SECRET_WORD.test(found[1] ?? '') || !value.test(text)) continue;
    clean += text.slice(kept, name.lastIndex) + MARK;
    kept = value.lastIndex;
    name.lastIndex = kept;
  }
  return clean + text.slice(kept);
}

/** The text without what looks like a JWT: parts between dots, the first of which begins like JSON in base64. */
const withoutTokens = (text: string): string =>
  text.replaceAll(/(?<![\w.-])[\w.-]+/g, (run) => {
    const parts = run.split('.');
    const kept: string[] = [];
    for (let place = 0; place < parts.length; place += 1) {
      const part = parts[place] ?? '';
      const isToken = place + 1 < parts.length && parts[place + 1] !== '' && JWT.test(part);
      kept.push(isToken ? part.replace(JWT, '') + MARK : part);
      if (isToken) place += 2;
    }
    return kept.join('.');
  });

const JWT = /\beyJ[\w-]{8,}$/;

export const redactorFor = (credentials: Credentials): Redactor => new SecretRedactor(credentials);

/** There is one for each source, so it holds little until it has something to redact. */
class SecretRedactor implements Redactor {
  readonly #credentials: Credentials;
  #learned: readonly string[] = NOTHING;
  #pattern: RegExp | undefined;

  constructor(credentials: Credentials) {
    this.#credentials = credentials;
  }

  readonly redact = (text: string): string => {
    this.#pattern ??= patternOf(this.#all());
    let clean = text.replace(this.#pattern, MARK);
    for (const named of NAMED) clean = withoutNamed(clean, named);
    for (const lookalike of LOOKS_SECRET) clean = clean.replace(lookalike, `$1${MARK}`);
    return withoutTokens(clean);
  };

  excerpt(text: string, length: number): string {
    if (text.length <= length) return this.redact(text);
    const cut = text.slice(0, length);
    return `${this.redact(cut.slice(0, cut.length - halfASecret(cut, this.#all())))}…`;
  }

  learn(secret: string | undefined): void {
    if (secret === undefined || secret === '' || this.#learned.includes(secret)) return;
    this.#learned = [...this.#learned.slice(1 - LEARNED_MAX), secret];
    this.#pattern = undefined;
  }

  #all(): string[] {
    return [...givenIn(this.#credentials), ...this.#learned].flatMap(forms);
  }
}

const NOTHING: readonly string[] = [];

/** The secret fields, and each pair of a public and a secret field as HTTP Basic writes it. */
function givenIn(credentials: Credentials): string[] {
  const fields = Object.entries(credentials);
  const secrets = fields.filter(([field]) => !PUBLIC_FIELD.test(field)).map(([, value]) => value);
  const names = fields.filter(([field]) => PUBLIC_FIELD.test(field)).map(([, value]) => value);
  return [...secrets, ...names.flatMap((name) => secrets.map((secret) => basicOf(name, secret)))];
}

/** A name and a secret as HTTP Basic writes them (RFC 7617); some logins use this form, too. */
const basicOf = (name: string, secret: string): string => Buffer.from(`${name}:${secret}`).toString('base64');

/** The forms a secret takes in an address, a form, a page, JSON or a header. */
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

/** Longest first, because the rest of a long secret would stay where a shorter one matches its beginning. */
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
