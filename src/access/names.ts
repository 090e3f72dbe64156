import { randomBytes } from 'node:crypto';
import { configInvalid } from '../core/errors.ts';

/** What stands in a path: organisation ids and project codes. */
const CODE = /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/;

/** Whether a text could be an organisation id or a project code; what is not need not be looked up. */
export const isCode = (text: string): boolean => CODE.test(text);

/** Throws `config-invalid` for what cannot be an organisation id or a project code. */
export function assertCode(text: string, what: string, path: string): void {
  if (isCode(text)) return;
  throw configInvalid(`${JSON.stringify(text)} is not ${what}`, 'use letters, digits, "-" and "_", 128 at most', path);
}

const LONGEST_NAME = 200;

/** Throws `config-invalid` for a name no person could read: empty, too long, or with control characters. */
export function assertName(text: string): void {
  const length = text.trim().length;
  if (length > 0 && text.length <= LONGEST_NAME && !/\p{Cc}/u.test(text) && text.isWellFormed()) return;
  throw configInvalid(
    `${JSON.stringify(text.slice(0, LONGEST_NAME))} is not a name`,
    `use 1 to ${LONGEST_NAME} characters, and no control characters`,
    'name',
  );
}

/** Lower-case hex behind a word, so that neither a shell nor Basic authentication trips over it. */
export const newApplicationId = (): string => `app_${randomBytes(10).toString('hex')}`;

const APPLICATION_ID = /^app_[0-9a-f]{20}$/;

/** Whether a text could be an application id; what is not need not be looked up. */
export const isApplicationId = (text: string): boolean => APPLICATION_ID.test(text);
