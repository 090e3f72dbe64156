import type { KindSchemas } from '../src/core/source/source.ts';
import type { KindName } from '../src/platform/contract.ts';
import { clientCredentials } from './kinds/client-credentials.ts';
import { custom } from './kinds/custom.ts';
import { historian } from './kinds/historian.ts';
import { separateAuthServer } from './kinds/separate-auth-server.ts';
import { userCredentials } from './kinds/user-credentials.ts';

/** The schema of the `connection` fields of each kind. */
export const kinds: KindSchemas<KindName> = {
  'user-credentials': userCredentials,
  'client-credentials': clientCredentials,
  'separate-auth-server': separateAuthServer,
  historian,
  custom,
};
