import {
  createOperator,
  listOperators,
  operatorAccountDocument,
  operatorRole,
  setOperatorDisabled,
  setOperatorRole,
} from '../../access/operators.ts';
import {
  createOperatorToken,
  listOperatorTokens,
  operatorTokenDocument,
  revokeOperatorToken,
} from '../../access/operator-tokens.ts';
import type { OperatorToken } from '../../access/operator-tokens.ts';
import type { Instant } from '../../core/instant.ts';
import { formatInstant, instantOrNull } from '../../core/instant.ts';
import type { OperatorRole } from '../../core/operator-role.ts';
import { withContext } from '../../context.ts';
import { actor, printJson, printLine, printList } from '../../terminal/output.ts';

interface AsJson {
  readonly json?: boolean;
}

/** `operator create`. */
export async function operatorCreate(
  name: string,
  { role, organisation: organisations, json }: AsJson & { role: OperatorRole; organisation?: string[] },
): Promise<void> {
  const created = await withContext(
    ({ database }) => createOperator(database, { name, role, organisations }, actor()),
    { mayCreate: true },
  );
  if (json) printJson({ name, role, organisations: created.organisations });
  else {
    printLine(`operator ${name} created`);
    printLine(`  try: databridge operator link ${name} --invite, to sign in and choose a password`);
    printLine(`       databridge operator token create ${name} --name laptop, for programs`);
  }
}

/** `operator list`. */
export async function operatorList({ json }: AsJson): Promise<void> {
  const rows = await withContext(({ database }) => listOperators(database));
  if (json) {
    printJson(rows.map(operatorAccountDocument));
    return;
  }
  if (rows.length === 0) {
    printLine('no operators yet; databridge operator create NAME creates one');
    return;
  }
  const cells = rows.map(({ name, role, organisations, tokens, disabledAt }) => [
    name,
    role,
    organisations?.join(' ') ?? 'all',
    tokens,
    disabledAt === null ? 'active' : `disabled ${formatInstant(disabledAt)}`,
  ]);
  printList(['name', 'role', 'organisations', 'tokens', 'state'], cells, { noun: ['operator'] });
}

/** `operator role`. */
export async function operatorRoleChange(name: string, role: string, { json }: AsJson): Promise<void> {
  const wanted = operatorRole(role);
  const changed = await withContext(({ database }) => setOperatorRole(database, name, wanted, actor()));
  if (json) printJson({ name, role: wanted, changed });
  else printLine(changed ? `operator ${name} is ${wanted} now` : `operator ${name} is ${wanted} already`);
}

/** `operator disable`. */
export const operatorDisable = (name: string, options: AsJson): Promise<void> => setDisabled(name, true, options);

/** `operator enable`. */
export const operatorEnable = (name: string, options: AsJson): Promise<void> => setDisabled(name, false, options);

async function setDisabled(name: string, disabled: boolean, { json }: AsJson): Promise<void> {
  const changed = await withContext(({ database }) => setOperatorDisabled(database, name, disabled, actor()));
  const state = disabled ? 'disabled' : 'enabled';
  if (json) printJson({ name, disabled, changed });
  else printLine(changed ? `operator ${name} ${state}` : `operator ${name} is ${state} already`);
}

/** `operator token create`. */
export async function operatorTokenCreate(
  operator: string,
  { name, days, json }: AsJson & { name: string; days: number },
): Promise<void> {
  const { token, ...created } = await withContext(({ database }) =>
    createOperatorToken(database, { operator, name, days }, actor()),
  );
  if (json) printJson({ ...operatorTokenDocument(created), token });
  else {
    printLine(`token ${name} of operator ${operator} created; it expires at ${formatInstant(created.expiresAt)}`);
    printLine(`  ${token}`);
    printLine('Put it in a safe place now: it is not stored here and cannot be shown again.');
  }
}

/** `operator token list`. */
export async function operatorTokenList(operator: string | undefined, { json }: AsJson): Promise<void> {
  const { tokens, now } = await withContext(async ({ database, clock }) => ({
    tokens: await listOperatorTokens(database, operator),
    now: clock.now(),
  }));
  if (json) printJson(tokens.map(operatorTokenDocument));
  else if (tokens.length === 0) printLine('no tokens');
  else {
    const cells = tokens.map((token) => [
      token.id,
      token.operator,
      token.name,
      instantOrNull(token.lastUsedAt) ?? 'never',
      stateOf(token, now),
    ]);
    printList(['id', 'operator', 'name', 'last used', 'state'], cells, { noun: ['token'] });
  }
}

/** `operator token revoke`. */
export async function operatorTokenRevoke(id: string, { json }: AsJson): Promise<void> {
  const revoked = await withContext(({ database }) => revokeOperatorToken(database, id, actor()));
  if (json) printJson({ id, revoked });
  else printLine(revoked ? `token ${id} revoked` : `token ${id} was revoked already`);
}

function stateOf({ revokedAt, expiresAt }: OperatorToken, now: Instant): string {
  if (revokedAt !== null) return `revoked ${formatInstant(revokedAt)}`;
  return `${expiresAt <= now ? 'expired' : 'until'} ${formatInstant(expiresAt)}`;
}
