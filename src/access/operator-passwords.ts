import { randomBytes } from 'node:crypto';
import { configInvalid } from '../core/errors.ts';
import { faultOfPassword } from '../core/password-rules.ts';
import { rowsOf } from '../database/database.ts';
import type { Database } from '../database/database.ts';
import { audit } from './audit.ts';
import { isListedPassword } from './listed-password.ts';
import { beginSession } from './operator-sessions.ts';
import type { OperatorSession } from './operator-sessions.ts';
import { endSessions, lockedOperator } from './operators.ts';
import { hashOfPassword, isPassword } from './password.ts';

type Client = Pick<OperatorSession, 'address' | 'agent'>;

/** The file of passwords that nobody may choose (`DATABRIDGE_PASSWORD_LIST`); undefined: there is none. */
type PasswordList = string | undefined;

/** A password that the operator did not choose ends after a day. */
const TEMPORARY = `interval '1 day'`;

async function assertPassword(password: string, name: string, list: string | undefined): Promise<void> {
  const isListed = list !== undefined && (await isListedPassword(password, list));
  const fault = faultOfPassword(password, name) ?? (isListed ? 'it stands in the list of this bridge' : undefined);
  if (fault === undefined) return;
  throw configInvalid(
    `this password cannot be taken: ${fault}`,
    'choose a long one that stands in no list, for example four words that do not belong together',
    'password',
  );
}

/**
 * Gives an operator a password and ends its sessions. A temporary one ends after a day, and allows nothing but the choice of
 * another one. Throws `config-invalid` for an unknown operator and for a password that is too weak.
 */
export async function setOperatorPassword(
  database: Database,
  name: string,
  {
    password,
    temporary,
    list,
  }: { readonly password: string; readonly temporary: boolean; readonly list?: PasswordList },
  actor: string,
): Promise<void> {
  await assertPassword(password, name, list);
  const hash = await hashOfPassword(password);
  await database.transaction(async (client) => {
    const { id } = await lockedOperator(client, name);
    await client.query(
      `update operator_account set password_hash = $2, password_until = case when $3 then now() + ${TEMPORARY} end where id = $1`,
      [id, hash, temporary],
    );
    const sessions = await endSessions(client, id);
    await audit(client, actor, 'operator.password', name, { before: { sessions }, after: { sessions: 0, temporary } });
  });
}

/** Begins a session where name and password are right; the answer is its secret. A wrong one takes as long as an unknown name. */
export async function signIn(
  database: Database,
  given: { readonly name: string; readonly password: string },
  from: Client,
): Promise<string | undefined> {
  const row = await database.row<{ id: number; hash: string | null }>(
    `select id, case when disabled_at is null and (password_until is null or password_until > now()) then password_hash end as hash
     from operator_account where name = $1`,
    [given.name.slice(0, 100)],
  );
  const hash = row?.hash ?? null;
  const isRight = await isPassword(given.password, hash);
  if (!isRight || row === undefined) return undefined;
  return await database.transaction(async (client) => {
    // The password may have been changed, or the operator disabled, while the hash was computed.
    const unchanged = await rowsOf(
      client,
      'select from operator_account where id = $1 and password_hash = $2 and disabled_at is null for update',
      [row.id, hash],
    );
    return unchanged.length === 0 ? undefined : await beginSession(client, row.id, from);
  });
}

/** Notes that the operator of a session gave its password again; undefined where it is wrong. */
export async function confirmSession(
  database: Database,
  given: { readonly operatorId: number; readonly sessionId: string; readonly password: string },
): Promise<true | undefined> {
  const row = await database.row<{ hash: string | null }>(
    'select password_hash as hash from operator_account where id = $1',
    [given.operatorId],
  );
  const hash = row?.hash ?? null;
  if (!(await isPassword(given.password, hash))) return undefined;
  // The password may have been changed while its hash was computed; the sessions ended with it.
  const noted = await database.run(
    `update operator_session set proved_at = now() where id = $1 and operator_id =
       (select id from operator_account where id = $2 and password_hash = $3 and disabled_at is null)`,
    [given.sessionId, given.operatorId, hash],
  );
  return noted > 0 ? true : undefined;
}

/**
 * Changes the password of an operator that knows the present one; one without a password of its own choice that came by a link
 * (`current` null) needs to know none. All its sessions end; the answer is the secret of a new one,
 * undefined where the present password is wrong. Throws `config-invalid` where the new one is too weak, or no new one.
 */
export async function changeOwnPassword(
  database: Database,
  given: {
    readonly name: string;
    readonly current: string | null;
    readonly next: string;
    readonly list?: PasswordList;
  },
  from: Client,
  actor: string,
): Promise<string | undefined> {
  const { name, current, next } = given;
  const row = await database.row<{ hash: string | null }>(
    'select password_hash as hash from operator_account where name = $1',
    [name],
  );
  const hash = row?.hash ?? null;
  if (current !== null && !(await isPassword(current, hash))) return undefined;
  if (current === next || (current === null && (await isPassword(next, hash))))
    throw configInvalid('this is the present password', 'choose another one', 'password');
  await assertPassword(next, name, given.list);
  const nextHash = await hashOfPassword(next);
  return await database.transaction(async (client) => {
    const { id } = await lockedOperator(client, name);
    const { rowCount } = await client.query(
      'update operator_account set password_hash = $2, password_until = null where id = $1 and password_hash is not distinct from $3 and disabled_at is null and ($4 or password_hash is null or password_until is not null)',
      [id, nextHash, hash, current !== null],
    );
    if (!rowCount) return undefined;
    const sessions = await endSessions(client, id);
    await audit(client, actor, 'operator.password', name, {
      before: { sessions },
      after: { sessions: 1, temporary: false },
    });
    return await beginSession(client, id, from);
  });
}

const FIRST = 'admin';

/**
 * Makes the first operator of a bridge that has none: `admin`, with a password for one day that it has to change. The answer is
 * the only place that holds the password; undefined where there are operators.
 */
export async function makeFirstOperator(database: Database): Promise<{ name: string; password: string } | undefined> {
  if ((await database.row('select from operator_account limit 1')) !== undefined) return undefined;
  const password = randomBytes(18).toString('base64url');
  const hash = await hashOfPassword(password);
  return await database.transaction(async (client) => {
    // Several processes may start together.
    await client.query('lock table operator_account in share row exclusive mode');
    const { rowCount } = await client.query(
      `insert into operator_account (name, role, password_hash, password_until)
       select $1, 'admin', $2, now() + ${TEMPORARY} where not exists (select from operator_account)`,
      [FIRST, hash],
    );
    if (!rowCount) return undefined;
    await audit(client, 'databridge', 'operator.created', FIRST, {
      before: null,
      after: { role: 'admin', organisations: null, temporary: true },
    });
    return { name: FIRST, password };
  });
}
