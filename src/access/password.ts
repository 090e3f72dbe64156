import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Argon2Parameters } from 'node:crypto';

/** The parameters that OWASP names for argon2id: 19 MiB of memory, two passes, one lane. */
const MEMORY_KIB = 19_456;
const PASSES = 2;
const LANES = 1;
const SALT_BYTES = 16;
const HASH_BYTES = 32;

/** Hashes under way at a time: 38 MiB at most, and half of the threads of Node.js stay free for other work. */
const AT_A_TIME = 2;
/** Hashes that may wait; one takes some tenths of a second. */
const MOST_WAITING = 20;

/** Too many passwords are being checked at present. */
export class PasswordsBusy extends Error {}

let running = 0;
const waiting: (() => void)[] = [];

/** Runs `work` in its turn. Throws `PasswordsBusy` at once where too many wait, so a flood of sign-ins takes neither memory nor time. */
async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= AT_A_TIME) {
    if (waiting.length >= MOST_WAITING) throw new PasswordsBusy('too many passwords are being checked');
    const { promise, resolve } = Promise.withResolvers<undefined>();
    waiting.push(() => resolve(undefined));
    await promise;
  } else running += 1;
  try {
    return await work();
  } finally {
    // The place goes to the next one without being free in between.
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  }
}

const computed = (parameters: Argon2Parameters): Promise<Buffer> =>
  inTurn(
    () =>
      new Promise((resolve, reject) => {
        argon2('argon2id', parameters, (error, key) => {
          if (error) reject(error);
          else resolve(key);
        });
      }),
  );

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64').replace(/=+$/, '');

/** The hash of a password as a PHC string, which holds the parameters and the salt. */
export async function hashOfPassword(password: string): Promise<string> {
  const nonce = randomBytes(SALT_BYTES);
  const parameters = { memory: MEMORY_KIB, passes: PASSES, parallelism: LANES, tagLength: HASH_BYTES };
  const key = await computed({ ...parameters, message: Buffer.from(password), nonce });
  return `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${LANES}$${base64(nonce)}$${base64(key)}`;
}

const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z\d+/]+)\$([A-Za-z\d+/]+)$/;

/** Compared with in place of a missing hash; no password has it. */
const NO_PASSWORD = `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${LANES}$${base64(Buffer.alloc(SALT_BYTES))}$${base64(Buffer.alloc(HASH_BYTES))}`;

/**
 * Whether a password has a hash. Null, where there is no hash, takes as long as a wrong password, so the time does not tell
 * whether there is such an operator.
 */
export async function isPassword(password: string, hash: string | null): Promise<boolean> {
  const parts = PHC.exec(hash ?? NO_PASSWORD);
  if (parts === null) throw new Error('a stored hash of a password has an unknown form');
  const [, memory, passes, parallelism, salt = '', wanted = ''] = parts;
  const expected = Buffer.from(wanted, 'base64');
  const key = await computed({
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    tagLength: expected.length,
    message: Buffer.from(password),
    nonce: Buffer.from(salt, 'base64'),
  });
  return timingSafeEqual(key, expected) && hash !== null;
}
