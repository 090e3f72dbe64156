import { randomBytes } from 'node:crypto';
import { configInvalid } from '../core/errors.ts';

/** Organisation ids and project codes; they are segments of URL paths. */
const CODE = /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/;

/** Whether a text has the form of an organisation id or project code; without it a look-up is needless. */
export const isCode = (text: string): boolean => CODE.test(text);

/** Throws `config-invalid` for a text without that form. `what` names it in the message; `path` is its field. */
export function assertCode(text: string, what: string, path: string): void {
  if (isCode(text)) return;
  throw configInvalid(
    `${JSON.stringify(text)} is not ${what}`,
    'use letters, digits, "-" and "_", at most 128 characters',
    path,
  );
}

const MOST_NAME_CHARACTERS = 200;

/** Throws `config-invalid` for a name that is empty, too long or holds control characters. */
export function assertName(text: string): void {
  const length = text.trim().length;
  if (length > 0 && text.length <= MOST_NAME_CHARACTERS && !/\p{Cc}/u.test(text) && text.isWellFormed()) return;
  throw configInvalid(
    `${JSON.stringify(text.slice(0, MOST_NAME_CHARACTERS))} is not a name`,
    `use 1 to ${MOST_NAME_CHARACTERS} characters, and no control characters`,
    'name',
  );
}

/** `app_` and lower-case hex: no character has a special meaning in a shell or in Basic authentication. */
export const newApplicationId = (): string => `app_${randomBytes(10).toString('hex')}`;

const APPLICATION_ID = /^app_[0-9a-f]{20}$/;

/** Whether a text has the form of an application id; without it a look-up is needless. */
export const isApplicationId = (text: string): boolean => APPLICATION_ID.test(text);
