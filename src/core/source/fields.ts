import { IANAZone } from 'luxon';
import { z } from 'zod';
import { formatDuration, parseDuration } from '../duration.ts';
import { formatInstant, parseInstant } from '../instant.ts';
import type { Instant, Microseconds } from '../instant.ts';
import { nearest } from './nearest.ts';
import { looksLikeReference, parseReference } from './reference.ts';

/**
 * The fields that sources, kinds and options of platforms are made of. Each takes a description for the operator, which
 * becomes the hint in an editor, a row of the options table and the remedy of a message.
 */

/** Refuses a value with a message and a remedy for the operator; for `transform` and `superRefine` of a field. */
export function refuse(context: z.RefinementCtx, message: string, remedy: string): never {
  context.addIssue({ code: 'custom', message, params: { remedy } });
  return z.NEVER;
}

const shown = (text: string): string => JSON.stringify(text.length > 60 ? `${text.slice(0, 57)}…` : text);

/** Text of 1..`longest` characters without control characters. */
export const text = (description: string, longest = 256): z.ZodString =>
  z
    .string()
    .min(1)
    .max(longest)
    .refine((value) => !/\p{Cc}/u.test(value), {
      message: 'holds a control character',
      params: { remedy: 'take it out; a line break is one too' },
    })
    .describe(description);

/** Text that is encrypted at rest and never shown. It may be a reference to a secret: `${env:X}` or `${file:/path}`. */
export const secret = (description: string): z.ZodString =>
  z
    .string()
    .min(1)
    .superRefine((value, context) => {
      if (looksLikeReference(value) && parseReference(value) === undefined)
        refuse(context, 'is not a reference to a secret', 'write ${env:NAME} or ${file:/path}, with nothing around it');
    })
    .describe(description)
    .meta({ secret: true });

/** The base address of an API: http or https, without credentials, query or fragment. */
export const baseUrl = (description: string): z.ZodString =>
  z
    .string()
    .min(1)
    .superRefine((value, context) => {
      const fault = faultOfUrl(value);
      if (fault !== undefined) refuse(context, ...fault);
    })
    .describe(description)
    .meta({ examples: ['https://historian.example:8443/api'] });

function faultOfUrl(value: string): [message: string, remedy: string] | undefined {
  if (looksLikeReference(value)) return ['may not be a reference', 'write the address itself; it is no secret'];
  const url = URL.canParse(value) ? new URL(value) : undefined;
  // The address is not repeated, because one that cannot be parsed may still hold a password.
  if (url === undefined || url.hostname === '') return ['is not an address', 'write it like https://host:8443/path'];
  if (url.username !== '' || url.password !== '')
    return ['holds credentials', 'take them out of the address; they have fields of their own'];
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return [`begins with ${url.protocol}//, not with http:// or https://`, 'give the address of the HTTP API'];
  if (value.includes('?') || value.includes('#'))
    return ['holds a query or a fragment', 'end it before "?" and "#"; the bridge adds a query of its own'];
  return undefined;
}

const WRITE_DURATION = 'write a number with a unit, like 250ms, 10s, 1m30s, 7d or PT1H';

/** A length of time written as text (`10s`, `1m30s`, `7d`, `PT1H`), read as microseconds. */
export const duration = (
  description: string,
  limits: { readonly atLeast?: Microseconds; readonly atMost?: Microseconds } = {},
): z.ZodPipe<z.ZodString, z.ZodTransform<Microseconds, string>> =>
  z
    .string()
    .meta({ examples: ['10s', '1m30s', '7d', 'PT1H'] })
    .transform((value, context) => {
      const length = parseDuration(value);
      const { atLeast = 0, atMost = Infinity } = limits;
      if (/^\s*-/.test(value))
        return refuse(context, `${shown(value)} is negative`, `use ${formatDuration(atLeast)} or longer`);
      if (length === undefined) return refuse(context, `${shown(value)} is not a duration`, WRITE_DURATION);
      if (length < atLeast) {
        const least = formatDuration(atLeast);
        return refuse(context, `${shown(value)} is shorter than ${least}`, `use ${least} or longer`);
      }
      if (length > atMost) {
        const most = formatDuration(atMost);
        return refuse(context, `${shown(value)} is longer than ${most}`, `use ${most} or shorter`);
      }
      return length;
    })
    .describe(description);

/** Where readings begin: at an instant, or `before` µs before the registration of the source. */
export type Start = { readonly at: Instant } | { readonly before: Microseconds };

/** A start, written as an instant or a duration. */
export const startField = (description: string): z.ZodPipe<z.ZodString, z.ZodTransform<Start, string>> =>
  z
    .string()
    .meta({ examples: ['2026-01-01T00:00:00Z', '7d'] })
    .transform((value, context): Start => {
      const at = parseInstant(value);
      if (at !== undefined) return { at };
      const before = parseDuration(value);
      if (before !== undefined) return { before };
      const remedy = `write an instant like ${formatInstant(1_767_225_600_000_000)}, or how long before registration, like 7d`;
      return refuse(context, `${shown(value)} is neither an instant nor a duration`, remedy);
    })
    .describe(description);

/** A time zone of the IANA database. */
export const zone = (description: string): z.ZodString =>
  z
    .string()
    .min(1)
    .superRefine((value, context) => {
      if (/^[A-Za-z]/.test(value) && IANAZone.isValidZone(value)) return;
      const meant = nearest(value, Intl.supportedValuesOf('timeZone'));
      const remedy = 'use a name of the IANA database, like Europe/Paris or Etc/GMT-1';
      refuse(context, `${shown(value)} is not a time zone`, meant === undefined ? remedy : `did you mean "${meant}"?`);
    })
    .describe(description)
    .meta({ examples: ['Europe/Paris', 'UTC'] });
