import { randomBytes } from 'node:crypto';
import { createOperator } from '../access/operators.ts';
import { setOperatorPassword } from '../access/operator-passwords.ts';
import { openOperatorApi } from '../operator/open.ts';
import type { OpenBridge } from '../context-bridge.ts';

/** Where a viewer of the demo sees it in a browser. */
export interface Door {
  readonly url: string;
  readonly name: string;
  readonly password: string;
}

const NAME = 'demo';

/** Opens the console of a demo on a free port of this host, with an operator whose password is shown with the address. */
export async function openDoor(context: OpenBridge): Promise<Door & { close(): Promise<void> }> {
  const { database } = context;
  const password = randomBytes(9).toString('base64url');
  await createOperator(database, { name: NAME, role: 'admin' }, 'demo');
  await setOperatorPassword(database, NAME, { password, temporary: false }, 'demo');
  const api = await openOperatorApi(context);
  return { url: api.url, name: NAME, password, close: () => api.close() };
}
