import { z } from 'zod';
import { baseUrl, secret, text } from '../../src/core/source/fields.ts';

/** A plant-information historian (seed 2.3, fourth row). It has a client today, and may ask for more one day. */
export const historian = z
  .strictObject({
    url: baseUrl('Base address of the API of the historian'),
    clientId: text('Identifier of the API client'),
    clientSecret: secret('Secret of that client'),
  })
  .describe('Where the historian is and which client asks: url, clientId, clientSecret');
