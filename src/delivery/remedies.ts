import type { PushFault } from '../client/index.ts';

/** The remedy for each fault of a delivery that an operator can cure. */
export const DELIVERY_REMEDIES: Partial<Record<PushFault['code'] | 'config-invalid' | 'bug', string>> = {
  'credentials-rejected':
    'give the present application and secret with databridge ingestion push; after a rotation there the old secret stays valid for a while',
  forbidden: 'let the application push to this project there, or give another application',
  'unknown-target':
    'give the organisation and project code that exist there with --remote-organisation and --remote-project',
  'not-a-bridge': 'check the address: another program answers there, for example a proxy or a login page',
  unreachable: 'check the address and the network, unless the service is being restarted',
};
