import { z } from 'zod';
import { baseUrl, secret, text } from '../../src/core/source/fields.ts';

/** An industrial IoT platform whose tokens come from another server than its data (seed 2.3, third row). */
export const separateAuthServer = z
  .strictObject({
    url: baseUrl('Base address of the API'),
    authUrl: baseUrl('Base address of the authorisation server'),
    clientId: text('Identifier of the API client'),
    clientSecret: secret('Secret of that client'),
  })
  .describe('Where API and authorisation server are and which client asks: url, authUrl, clientId, clientSecret');
