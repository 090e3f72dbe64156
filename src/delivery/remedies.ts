import type { PushFault } from '../client/index.ts';

/** What an operator can do about a fault of a delivery. */
export const DELIVERY_REMEDIES: Partial<Record<PushFault['code'] | 'config-invalid' | 'bug', string>> = {
  'credentials-rejected':
    'give the application and the secret that count with databridge ingestion push; a rotation there leaves the old secret valid for a while',
  forbidden: 'let the application push to this project there, or give another application',
  'unknown-target':
    'give the organisation and project code that exist there with --remote-organisation and --remote-project',
  'not-a-bridge': 'check the address: something else answers there, a proxy or a login page for example',
  unreachable: 'check the address and the network, unless the service is just being restarted',
};
