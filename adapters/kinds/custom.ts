import { z } from 'zod';
import { baseUrl, secret } from '../../src/core/source/fields.ts';

/**
 * A platform studied case by case (seed 2.3, last row). Which fields sign its requests is only known to the platform,
 * so each of them is text and taken for a secret.
 */
export const custom = z
  .object({ url: baseUrl('Base address of the API') })
  .catchall(secret('What this platform asks for'))
  .describe('Where the API is, and the fields this platform asks for: url, …');
