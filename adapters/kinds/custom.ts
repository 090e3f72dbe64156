import { z } from 'zod';
import { baseUrl, secret } from '../../src/core/source/fields.ts';

/**
 * A platform studied case by case. Each field except `url` is text and a secret, because only the
 * platform knows which fields sign its requests.
 */
export const custom = z
  .object({ url: baseUrl('Base address of the API') })
  .catchall(secret('A field this platform asks for'))
  .describe('Address of the API, and the fields this platform asks for: url, …');
