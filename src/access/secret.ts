import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** 32 bytes: nobody guesses 256 random bits. */
const BYTES = 32;

/** A new secret or token: 256 random bits as 43 characters of base64url. */
export const newSecret = (): string => randomBytes(BYTES).toString('base64url');

/** What is mixed into a token to get the one after it. */
export const newSeed = (): Buffer => randomBytes(BYTES);

/**
 * What is stored of a secret: its SHA-256. A slow hash protects words that people choose, by making every guess
 * expensive; 256 random bits cannot be guessed at any speed, and slowness would only let strangers keep us busy.
 */
export const fingerprint = (secret: string): Buffer => createHash('sha256').update(secret).digest();

/** The token that follows `token`: only who has both the token and the stored seed can tell. */
export const successor = (token: string, seed: Buffer): string =>
  createHmac('sha256', token).update(seed).digest('base64url');

/** Whether two fingerprints are the same, in a time that does not tell how much of them is. */
export const matches = (one: Buffer, other: Buffer): boolean =>
  one.length === other.length && timingSafeEqual(one, other);
