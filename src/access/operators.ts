import type { ClientBase } from 'pg';
import { configInvalid } from '../core/errors.ts';
import { formatInstant, instantOrNull } from '../core/instant.ts';
import type { Instant } from '../core/instant.ts';
import { OPERATOR_ROLES } from '../core/operator-role.ts';
import type { OperatorRole } from '../core/operator-role.ts';
import { rowsOf } from '../database/database.ts';
import type { Database } from '../database/database.ts';
import { audit } from './audit.ts';
import { assertOrganisation } from './organisations.ts';

/** A person or a program that uses the operator API. */
export interface Operator {
  readonly id: number;
  readonly name: string;
  readonly role: OperatorRole;
  /** Ids of the only organisations it sees; null: all. */
  readonly organisations: readonly string[] | null;
}

/** An operator with its state. */
export interface OperatorAccount extends Operator {
  readonly createdAt: Instant;
  /** Since when it may not sign in; null: it may. */
  readonly disabledAt: Instant | null;
  /** Personal tokens that are accepted now. */
  readonly tokens: number;
}

/** The actor that the audit names for a change by an operator. */
export const actorOf = ({ name }: Pick<Operator, 'name'>): string => `operator:${name}`;

const NAME = /^[a-z0-9][a-z0-9._@+-]{0,99}$/;

function assertOperatorName(name: string): void {
  if (NAME.test(name)) return;
  throw configInvalid(
    `${JSON.stringify(name.slice(0, 100))} is not a name of an operator`,
    'use lower-case letters, digits and . _ @ + -, at most 100 characters, and begin with a letter or a digit',
    'name',
  );
}

/** The role that a text names. Throws `config-invalid`. */
export function operatorRole(text: string): OperatorRole {
  const role = OPERATOR_ROLES.find((one) => one === text);
  if (role !== undefined) return role;
  throw configInvalid(
    `${JSON.stringify(text.slice(0, 100))} is not a role`,
    `use one of ${OPERATOR_ROLES.join(', ')}`,
    'role',
  );
}

/**
 * Creates an operator that has no way to sign in yet. `organisations`: the only ones it sees; undefined: all. Throws
 * `config-invalid` for a name that is taken and for an unknown organisation.
 */
export async function createOperator(
  database: Database,
  given: {
    readonly name: string;
    readonly role: OperatorRole;
    readonly organisations?: readonly string[] | undefined;
  },
  actor: string,
): Promise<Operator> {
  const { name, role } = given;
  assertOperatorName(name);
  const organisations = given.organisations === undefined ? null : await existing(database, given.organisations);
  return await database.transaction(async (client) => {
    const [row] = await rowsOf<{ id: number }>(
      client,
      `insert into operator_account (name, role, organisations) values ($1, $2, $3) on conflict (name) do nothing returning id`,
      [name, role, organisations],
    );
    if (!row) {
      throw configInvalid(`there is an operator ${name}`, 'choose another name; operator list shows all', 'name');
    }
    await audit(client, actor, 'operator.created', name, { before: null, after: { role, organisations } });
    return { id: row.id, name, role, organisations };
  });
}

/** Organisations, each once. Throws `config-invalid` for none at all and for an unknown one. */
async function existing(database: Database, given: readonly string[]): Promise<readonly string[]> {
  if (given.length === 0) {
    throw configInvalid(
      'an operator of no organisation sees nothing',
      'name at least one organisation, or none at all to let it see every one',
      'organisations',
    );
  }
  const organisations = [...new Set(given)].sort();
  for (const organisation of organisations) await assertOrganisation(database, organisation);
  return organisations;
}

/** An operator as a JSON document. */
export function operatorAccountDocument(account: OperatorAccount) {
  const { id: _, createdAt, disabledAt, ...operator } = account;
  return { ...operator, createdAt: formatInstant(createdAt), disabledAt: instantOrNull(disabledAt) };
}

/** The operators by name. */
export const listOperators = (database: Database): Promise<OperatorAccount[]> =>
  database.rows<OperatorAccount & Record<string, unknown>>(
    `select id, name, role, organisations, instant_of(created_at) as "createdAt", instant_of(disabled_at) as "disabledAt",
       (select count(*) from operator_token
        where operator_id = operator_account.id and revoked_at is null and expires_at > now()) as tokens
     from operator_account order by name`,
  );

/** The operator of this name, locked for a change. Throws `config-invalid` where there is none. */
export async function lockedOperator(
  client: ClientBase,
  name: string,
): Promise<Operator & { readonly disabled: boolean }> {
  const [row] = await rowsOf<Operator & { disabled: boolean }>(
    client,
    `select id, name, role, organisations, disabled_at is not null as disabled from operator_account where name = $1 for update`,
    [name],
  );
  if (row) return row;
  throw configInvalid(
    `there is no operator ${JSON.stringify(name.slice(0, 100))}`,
    'databridge operator list shows all operators',
    'name',
  );
}

/** Ends all sessions of an operator, and a link that would begin one. @returns the number of sessions */
export async function endSessions(client: ClientBase, operatorId: number): Promise<number> {
  const ended = await rowsOf(client, 'delete from operator_session where operator_id = $1 returning id', [operatorId]);
  await client.query('delete from operator_link where operator_id = $1', [operatorId]);
  return ended.length;
}

/** Gives an operator a role and ends its sessions; false where it has it already. It counts from the next request on. */
export async function setOperatorRole(
  database: Database,
  name: string,
  role: OperatorRole,
  actor: string,
): Promise<boolean> {
  return await database.transaction(async (client) => {
    const before = await lockedOperator(client, name);
    if (before.role === role) return false;
    await client.query('update operator_account set role = $2 where id = $1', [before.id, role]);
    await endSessions(client, before.id);
    await audit(client, actor, 'operator.role', name, { before: { role: before.role }, after: { role } });
    return true;
  });
}

/**
 * Says which organisations an operator sees, undefined for all, and ends its sessions; false where it sees just those already. It
 * counts from the next request on. Throws `config-invalid` for an unknown operator or organisation.
 */
export async function setOperatorOrganisations(
  database: Database,
  name: string,
  given: readonly string[] | undefined,
  actor: string,
): Promise<boolean> {
  const organisations = given === undefined ? null : await existing(database, given);
  return await database.transaction(async (client) => {
    const before = await lockedOperator(client, name);
    if (JSON.stringify(before.organisations) === JSON.stringify(organisations)) return false;
    await client.query('update operator_account set organisations = $2 where id = $1', [before.id, organisations]);
    await endSessions(client, before.id);
    const change = { before: { organisations: before.organisations }, after: { organisations } };
    await audit(client, actor, 'operator.organisations', name, change);
    return true;
  });
}

/** Ends the sessions of an operator, or of all, as an admin. @returns their number. Throws `config-invalid` for an unknown operator. */
export async function signOutOperators(database: Database, name: string | undefined, actor: string): Promise<number> {
  return await database.transaction(async (client) => {
    const owner = name === undefined ? undefined : await lockedOperator(client, name);
    // Links first: a sign-in by one that is under way is waited for, and its session ends with the others.
    await client.query('delete from operator_link where $1::bigint is null or operator_id = $1', [owner?.id ?? null]);
    const ended = await rowsOf(
      client,
      'delete from operator_session where $1::bigint is null or operator_id = $1 returning id',
      [owner?.id ?? null],
    );
    const change = { before: { sessions: ended.length }, after: { sessions: 0 } };
    await audit(client, actor, 'operator.signed-out', name ?? 'all operators', change);
    return ended.length;
  });
}

/** Ends one session of an operator, as an admin; false where it has none of that id. Throws `config-invalid` for an unknown operator. */
export async function endSessionOf(database: Database, name: string, id: string, actor: string): Promise<boolean> {
  return await database.transaction(async (client) => {
    const owner = await lockedOperator(client, name);
    const ended = await rowsOf(client, 'delete from operator_session where operator_id = $1 and id = $2 returning id', [
      owner.id,
      id,
    ]);
    if (ended.length === 0) return false;
    await audit(client, actor, 'operator.signed-out', name, { before: { session: id }, after: { session: null } });
    return true;
  });
}

/**
 * Disables or enables an operator; false where it is so already. Disabling ends its sessions, and its personal tokens for
 * good, so that enabling it later gives back no token that leaked.
 */
export async function setOperatorDisabled(
  database: Database,
  name: string,
  disabled: boolean,
  actor: string,
): Promise<boolean> {
  return await database.transaction(async (client) => {
    const before = await lockedOperator(client, name);
    if (before.disabled === disabled) return false;
    await client.query('update operator_account set disabled_at = case when $2 then now() end where id = $1', [
      before.id,
      disabled,
    ]);
    if (disabled) {
      await endSessions(client, before.id);
      await client.query('update operator_token set revoked_at = now() where operator_id = $1 and revoked_at is null', [
        before.id,
      ]);
    }
    await audit(client, actor, disabled ? 'operator.disabled' : 'operator.enabled', name, {
      before: { disabled: before.disabled },
      after: { disabled },
    });
    return true;
  });
}
