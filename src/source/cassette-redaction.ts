import type { Credentials } from '../platform/contract.ts';

/** Takes the secrets, users and hosts of one source out of a recording. */
export interface CassetteRedactor {
  readonly redact: (text: string) => string;
  /** Whether one of them is in a text, in clear, in base64 or escaped. */
  readonly leaks: (text: string) => boolean;
}

/** The address that stands for that of the platform; a played case puts its own address in its place. */
export const PLATFORM_ORIGIN = 'https://platform.example';

interface Swap {
  readonly from: string;
  readonly to: string;
}

/**
 * `secrets` are tokens and secret options. Every field of the connection counts, also users and client identifiers. What is
 * replaced keeps its form, so that a link stays a link and JSON stays JSON.
 */
export function cassetteRedactor(credentials: Credentials, secrets: readonly string[]): CassetteRedactor {
  const swaps: Swap[] = [];
  for (const [field, value] of Object.entries(credentials)) {
    if (field === 'url') swaps.push(...hostSwaps(value, PLATFORM_ORIGIN));
    else if (URL.canParse(value)) swaps.push(...hostSwaps(value, 'https://auth.example'));
    else swaps.push({ from: value, to: placeholder(value, field) });
  }
  for (const secret of secrets) swaps.push({ from: secret, to: placeholder(secret, 'token') });
  const forms = new Map<string, string>();
  const inside: string[] = [];
  for (const { from, to } of swaps.filter((swap) => swap.from !== '')) {
    for (const form of FORMS) if (!forms.has(form(from).toLowerCase())) forms.set(form(from).toLowerCase(), form(to));
    inside.push(...insideBase64(from));
  }
  const pattern = patternOf([...forms.keys(), ...inside]);
  return {
    redact: (text) => text.replace(pattern, (found) => forms.get(found.toLowerCase()) ?? 'x'.repeat(found.length)),
    leaks: (text) => text.search(pattern) >= 0,
  };
}

/** The origin first, then the host with its port and the host alone. */
function hostSwaps(address: string, to: string): Swap[] {
  if (!URL.canParse(address)) return [{ from: address, to }];
  const { origin, host, hostname } = new URL(address);
  const name = new URL(to).hostname;
  return [
    { from: origin, to },
    { from: host, to: name },
    { from: hostname, to: name },
  ];
}

/** A number stays a number, because it may stand in JSON without quotes. */
const placeholder = (value: string, field: string): string =>
  /^\d+$/.test(value) ? '9'.repeat(value.length) : `redacted-${field}`;

const FORMS: readonly ((text: string) => string)[] = [
  (text) => text,
  encodeURIComponent,
  (text) => new URLSearchParams({ '': text }).toString().slice(1),
  (text) => JSON.stringify(text).slice(1, -1),
  (text) =>
    JSON.stringify(text)
      .slice(1, -1)
      .replaceAll('/', String.raw`\/`),
  (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
  (text) => Buffer.from(text).toString('base64'),
  (text) => Buffer.from(text).toString('base64url'),
];

/** Shorter ones would be found in base64 of anything. Bytes. */
const SHORTEST_INSIDE = 6;

/** The characters that a text has in the base64 of a longer one, at each of the three places at which it may begin. */
function insideBase64(text: string): string[] {
  const bytes = Buffer.from(text);
  if (bytes.length < SHORTEST_INSIDE) return [];
  return [0, 1, 2].flatMap((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), bytes]);
    const first = Math.ceil((before * 8) / 6);
    const last = Math.floor((whole.length * 8) / 6);
    return (['base64', 'base64url'] as const).map((form) => whole.toString(form).slice(first, last));
  });
}

/** Shorter ones are part of many words, so they count where they stand alone. Characters. */
const SHORT = 4;

function patternOf(forms: readonly string[]): RegExp {
  const parts = [...new Set(forms)]
    .toSorted((one, other) => other.length - one.length)
    .map((form) => {
      const literal = form.replace(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
      return form.length < SHORT ? `(?<!\\w)${literal}(?!\\w)` : literal;
    });
  return new RegExp(parts.length === 0 ? '(?!)' : parts.join('|'), 'gi');
}
