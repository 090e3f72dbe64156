import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** 256 random bits cannot be guessed. */
const BYTES = 32;

/** A new secret or token: 256 random bits as 43 characters of base64url. */
export const newSecret = (): string => randomBytes(BYTES).toString('base64url');

/** A random seed; `successor` mixes it into a token to get the next token. */
export const newSeed = (): Buffer => randomBytes(BYTES);

/**
 * The SHA-256 of a secret; nothing else of it is stored. A slow hash protects passwords that people choose, because it
 * makes every guess expensive. 256 random bits cannot be guessed at any speed, and a slow hash would only let strangers
 * keep this service busy.
 */
export const fingerprint = (secret: string): Buffer => createHash('sha256').update(secret).digest();

/** The token that follows `token`. Computing it needs both the token and the stored seed. */
export const successor = (token: string, seed: Buffer): string =>
  createHmac('sha256', token).update(seed).digest('base64url');

/** Whether two fingerprints are equal, in a time that does not depend on how many of their bytes are. */
export const matches = (one: Buffer, other: Buffer): boolean =>
  one.length === other.length && timingSafeEqual(one, other);
