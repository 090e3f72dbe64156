import { randomBytes } from 'node:crypto';
import { createOperatorLink, pathOfLink } from '../access/operator-links.ts';
import { createOperator } from '../access/operators.ts';
import { setOperatorPassword } from '../access/operator-passwords.ts';
import { openOperatorApi } from '../operator/open.ts';
import type { OpenBridge } from '../context-bridge.ts';

/** The operator that a viewer of the demo signs in as. */
export const VIEWER = 'demo';

/** Where a viewer of the demo sees it in a browser. */
export interface Door {
  /** It signs a browser in once, within 15 minutes. */
  readonly address: string;
  /** The port of the console, for commands that make another address. */
  readonly port: string;
}

/** Opens the console of a demo on a free port of this host, with an operator and a link that signs in as it. */
export async function openDoor(context: OpenBridge): Promise<Door & { close(): Promise<void> }> {
  const { database } = context;
  await createOperator(database, { name: VIEWER, role: 'admin' }, 'demo');
  // Nobody needs to know it: an operator without a password would have to choose one first.
  const password = randomBytes(18).toString('base64url');
  await setOperatorPassword(database, VIEWER, { password, temporary: false }, 'demo');
  const { token } = await createOperatorLink(database, { name: VIEWER, kind: 'sign-in' }, 'demo');
  const api = await openOperatorApi(context);
  return { address: `${api.url}${pathOfLink(token)}`, port: new URL(api.url).port, close: () => api.close() };
}
