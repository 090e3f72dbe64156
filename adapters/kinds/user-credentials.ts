import { z } from 'zod';
import { baseUrl, secret, text } from '../../src/core/source/fields.ts';

/** A process-data platform that the customer has a user for. */
export const userCredentials = z
  .strictObject({
    url: baseUrl('Base address of the API'),
    username: text('User of the API'),
    password: secret('Password of that user'),
  })
  .describe('Address of the API and the user of the bridge: url, username, password');
