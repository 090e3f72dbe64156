import { z } from 'zod';
import { baseUrl, secret, text } from '../../src/core/source/fields.ts';

/** A condition-monitoring platform with a client of its own for the bridge. */
export const clientCredentials = z
  .strictObject({
    url: baseUrl('Base address of the API'),
    clientId: text('Identifier of the API client'),
    clientSecret: secret('Secret of that client'),
  })
  .describe('Address of the API and the client of the bridge: url, clientId, clientSecret');
