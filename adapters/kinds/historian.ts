import { z } from 'zod';
import { baseUrl, secret, text } from '../../src/core/source/fields.ts';

/** A plant-information historian. A kind of its own, because it may need more fields later. */
export const historian = z
  .strictObject({
    url: baseUrl('Base address of the API of the historian'),
    authUrl: baseUrl(
      'Base address of the authorisation server, where it is another server than the historian',
    ).exactOptional(),
    clientId: text('Identifier of the API client'),
    clientSecret: secret('Secret of that client'),
  })
  .describe(
    'Address of the historian and the client of the bridge: url, clientId, clientSecret; authUrl where another server gives the tokens',
  );
