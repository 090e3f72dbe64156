import { z } from 'zod';
import { baseUrl, secret, text } from '../../src/core/source/fields.ts';

/** An industrial IoT platform that gives tokens on another server than its data. */
export const separateAuthServer = z
  .strictObject({
    url: baseUrl('Base address of the API'),
    authUrl: baseUrl('Base address of the authorisation server'),
    clientId: text('Identifier of the API client'),
    clientSecret: secret('Secret of that client'),
  })
  .describe(
    'Addresses of API and authorisation server, and the client of the bridge: url, authUrl, clientId, clientSecret',
  );
