import { z } from 'zod';
import { suggest } from './nearest.ts';
import { isMapping } from './path.ts';
import { schemaKeys, shapeOf } from './shape.ts';
import type { Shape } from './shape.ts';

type Issue = z.core.$ZodIssue;

/** The message and the remedy of a problem. */
export type Words = readonly [message: string, remedy: string];

const NO_SHAPE: Partial<Shape> = {};

/**
 * One issue of one field as message and remedy. `value` is shown where it is short and not secret; `last` is its key.
 */
export function issueInWords(
  issue: Exclude<Issue, { code: 'unrecognized_keys' }>,
  schema: z.ZodType | undefined,
  value: unknown,
  last: string,
): Words {
  const { description, examples = [], secret = false, optional } = schema === undefined ? NO_SHAPE : shapeOf(schema);
  const meaning = description === undefined ? '' : lowerFirst(description);
  const like = examples.length === 0 ? '' : `write it like ${examples.map(String).join(', ')}`;
  const otherwise = like || meaning || 'see the documentation of this field';
  const shown = typeOf(value, secret);
  switch (issue.code) {
    case 'invalid_type':
      if (value === undefined) return ['is missing', `add ${last}${meaning === '' ? '' : `: ${meaning}`}`];
      if (value === null && optional) return ['is empty', 'give it a value or leave the key out'];
      if (value === null) return ['is empty', `give it a value: ${meaning || last}`];
      if (issue.expected === 'int') return [`${shown} is not whole`, 'use a whole number'];
      return [
        `must be ${TYPES[issue.expected] ?? issue.expected}, not ${shown}`,
        like || retype(issue.expected, schema, value) || otherwise,
      ];
    case 'invalid_value': {
      const choices = issue.values.map(String);
      if (value === undefined) return ['is missing', `add ${last}: ${choices.join(', ')}`];
      return [
        secret ? 'is none of the choices' : `${shown} is none of the choices`,
        suggest(textOf(value), choices, 'the choices are'),
      ];
    }
    case 'invalid_union': {
      const choices = 'options' in issue && Array.isArray(issue.options) ? issue.options.map(String) : [];
      return [
        value === undefined ? 'is missing' : 'is none of the choices',
        suggest(textOf(value), choices, 'the choices are') || otherwise,
      ];
    }
    case 'invalid_format': {
      const own = issue.message.startsWith('Invalid ') ? 'does not have the right form' : issue.message;
      return [secret ? own : `${shown} ${own}`, like === '' || meaning === '' ? otherwise : `${like} (${meaning})`];
    }
    case 'invalid_key': {
      const inner = issue.issues[0];
      if (inner === undefined || inner.code === 'unrecognized_keys') return ['this key is not allowed', otherwise];
      const [message, remedy] = issueInWords(inner, undefined, last, last);
      return [`the key ${message}`, remedy];
    }
    case 'custom': {
      const remedy: unknown = issue.params?.['remedy'];
      const message = issue.message === 'Invalid input' ? 'is not allowed' : issue.message;
      return [message, typeof remedy === 'string' ? remedy : otherwise];
    }
    case 'too_small':
    case 'too_big':
      return sizeInWords(issue, shown);
    case 'not_multiple_of':
      return [`${shown} is not a multiple of ${issue.divisor}`, `use a multiple of ${issue.divisor}`];
    case 'invalid_element':
      return ['holds something that is not allowed', otherwise];
  }
}

/** How to write a value of the wrong type, as YAML. */
function retype(expected: string, schema: z.ZodType | undefined, value: unknown): string | undefined {
  if (expected === 'object') {
    const keys = schemaKeys(schema);
    return keys.length === 0 ? 'write its keys below it, one a line' : `its keys are: ${keys.join(', ')}`;
  }
  if (expected === 'array') return 'write each entry on a line of its own, after "- "';
  if (expected === 'string') return typeof value === 'object' ? undefined : 'put it in quotes';
  const bare = typeof value === 'string' && (expected === 'boolean' ? /^(true|false)$/ : /^-?\d+(\.\d+)?$/).test(value);
  return bare ? 'write it without quotes' : undefined;
}

function sizeInWords(issue: Extract<Issue, { code: 'too_small' | 'too_big' }>, shown: string): Words {
  const small = issue.code === 'too_small';
  const bound = String(small ? issue.minimum : issue.maximum);
  const [one, many] = COUNTED[issue.origin] ?? [];
  const within = small ? 'at least' : 'at most';
  if (one === undefined || many === undefined) {
    const beyond = small ? 'more than' : 'less than';
    return [
      `${shown} is too ${small ? 'small' : 'large'}`,
      `use ${issue.inclusive === false ? beyond : within} ${bound}`,
    ];
  }
  if (small && bound === '1') return ['is empty', `give at least one ${one}`];
  return [`is too ${small ? 'short' : 'long'}`, `use ${within} ${bound} ${many}`];
}

const COUNTED: Readonly<Record<string, readonly [one: string, many: string]>> = {
  string: ['character', 'characters'],
  array: ['entry', 'entries'],
};

const TYPES: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'a mapping',
  record: 'a mapping',
  array: 'a list',
};

/** The values a schema takes, in words: the literal, or the type. */
export function wordOf(schema: z.ZodType): string {
  const bare = shapeOf(schema).schema;
  if (bare instanceof z.ZodLiteral) return [...bare.values].map(String).join(' or ');
  return TYPES[bare.type] ?? bare.type;
}

/** A value in words: a short plain value itself, otherwise its type; of a secret always the type. */
export function typeOf(value: unknown, secret: boolean): string {
  if (Array.isArray(value)) return 'a list';
  if (isMapping(value)) return 'a mapping';
  const type = typeof value === 'string' ? 'text' : typeof value === 'number' ? 'a number' : 'true or false';
  if (secret || String(value).length > 60) return type;
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const lowerFirst = (sentence: string): string =>
  /^[A-Z][a-z ]/.test(sentence) ? sentence.charAt(0).toLowerCase() + sentence.slice(1) : sentence;
