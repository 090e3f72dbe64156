import { z } from 'zod';
import { baseUrl, secret, text } from '../../src/core/source/fields.ts';

/** A process-data platform that knows the customer's user (seed 2.3, first row). */
export const userCredentials = z
  .strictObject({
    url: baseUrl('Base address of the API'),
    username: text('User of the API'),
    password: secret('Password of that user'),
  })
  .describe('Where the API is and who asks: url, username, password');
