import { configInvalid } from '../core/errors.ts';
import { HOUR, formatInstant, instantOrNull } from '../core/instant.ts';
import type { Instant } from '../core/instant.ts';
import { rowsOf } from '../database/database.ts';
import type { Database } from '../database/database.ts';
import { statementOf } from '../database/statement.ts';
import { audit } from './audit.ts';
import { assertName, isApplicationId, newApplicationId } from './names.ts';
import { assertOrganisation } from './organisations.ts';
import { assertProjects } from './projects.ts';
import { endAccessTokens, revokeFamilies } from './refresh-families.ts';
import { fingerprint, matches, newSecret } from './secret.ts';

/** A program of a client that may push (interface spec 2.2). Only the hash of its secret is stored. */
export interface Application {
  readonly applicationId: string;
  readonly organisation: string;
  readonly name: string;
  /** Codes of the only projects it may push to; null: every project of its organisation. */
  readonly projects: readonly string[] | null;
  readonly createdAt: Instant;
  /** The secret before the last rotation is accepted until then; null: no previous secret is accepted. */
  readonly previousSecretUntil: Instant | null;
  /** When it last created a token (renewals do not count). */
  readonly lastTokenAt: Instant | null;
  /** When a refresh token of it was last used. */
  readonly lastRenewalAt: Instant | null;
  /** When it last pushed, told a few seconds later. */
  readonly lastPushAt: Instant | null;
  /** All its pushes, the readings that were new, the same and revised, and the bytes of their bodies after unpacking. */
  readonly pushes: number;
  readonly accepted: number;
  readonly duplicates: number;
  readonly revised: number;
  readonly bytes: number;
  /** Pushed readings of about the last 24 hours that were refused, and their number by reason. */
  readonly refused24h: number;
  readonly refusedByReason24h: Readonly<Record<string, number>>;
  readonly revokedAt: Instant | null;
}

/** After a rotation the previous secret may stay valid for at most this many hours. */
const LONGEST_OVERLAP_HOURS = 720;

/**
 * Creates an application. The result is the only place that holds its secret in clear. Throws `config-invalid` for an
 * organisation or project that does not exist and for a name that is taken.
 */
export async function createApplication(
  database: Database,
  given: {
    readonly organisation: string;
    readonly name: string;
    readonly projects?: readonly string[] | undefined;
  },
  actor: string,
): Promise<{ applicationId: string; secret: string }> {
  const { organisation, name } = given;
  assertName(name);
  await assertOrganisation(database, organisation);
  const projects = given.projects === undefined ? null : [...new Set(given.projects)].sort();
  if (projects) await assertProjects(database, organisation, projects);
  const applicationId = newApplicationId();
  const secret = newSecret();
  await database.transaction(async (client) => {
    const { rowCount } = await client.query(
      `insert into application (id, organisation_id, name, projects, secret_hash) values ($1, $2, $3, $4, $5)
       on conflict (organisation_id, name) where revoked_at is null do nothing`,
      [applicationId, organisation, name, projects, fingerprint(secret)],
    );
    if (!rowCount) {
      const remedy =
        'choose another name, or give the existing application a new secret with databridge application rotate';
      throw configInvalid(`organisation ${organisation} has an application ${JSON.stringify(name)}`, remedy, 'name');
    }
    await audit(client, actor, 'application.created', applicationId, { organisation, name, projects });
  });
  return { applicationId, secret };
}

export const listApplications = (database: Database): Promise<Application[]> =>
  database.rows<Application & Record<string, unknown>>(`${APPLICATIONS} order by organisation_id, created_at`);

/** The application of this id. Throws `config-invalid` for an unknown one. */
export async function showApplication(database: Database, applicationId: string): Promise<Application> {
  const row = await database.row<Application & Record<string, unknown>>(`${APPLICATIONS} where id = $1`, [
    applicationId,
  ]);
  if (row === undefined) {
    throw configInvalid(
      `there is no application ${JSON.stringify(applicationId)}`,
      'databridge application list shows all applications with their ids',
      'applicationId',
    );
  }
  return row;
}

const APPLICATIONS = `
    select id as "applicationId", organisation_id as organisation, name, projects, instant_of(created_at) as "createdAt",
       case when previous_secret_until > now() then instant_of(previous_secret_until) end as "previousSecretUntil",
       (select instant_of(max(created_at)) from refresh_family where application_id = application.id) as "lastTokenAt",
       (select coalesce(sum(refused), 0) from refusal_count
        where application_id = application.id and hour > now() - interval '24 hours') as "refused24h",
       (select coalesce(jsonb_object_agg(reason, refused), '{}')
        from (select reason, sum(refused) as refused from refusal_count
              where application_id = application.id and hour > now() - interval '24 hours' group by reason) as reasons)
         as "refusedByReason24h",
       (select instant_of(max(used_at)) from refresh_token join refresh_family on refresh_family.id = family_id
        where application_id = application.id) as "lastRenewalAt",
       instant_of(last_push_at) as "lastPushAt", coalesce(pushes, 0) as pushes, coalesce(accepted, 0) as accepted,
       coalesce(duplicates, 0) as duplicates, coalesce(revised, 0) as revised, coalesce(bytes, 0) as bytes,
       instant_of(revoked_at) as "revokedAt"
     from application left join application_use on application_id = id`;

/**
 * Gives an application a new secret. The previous secret is accepted for `overlapHours` (0..720) more, older secrets no
 * longer. An overlap of 0 is for a leaked secret: the refresh tokens of the application end too, because a thief may have
 * created them, and so do its access tokens, within three seconds. Throws `config-invalid` for an unknown or revoked application.
 */
export async function rotateSecret(
  database: Database,
  applicationId: string,
  { overlapHours }: { readonly overlapHours: number },
  actor: string,
): Promise<{ secret: string; previousUntil: Instant }> {
  if (!(overlapHours >= 0 && overlapHours <= LONGEST_OVERLAP_HOURS)) {
    throw configInvalid(
      `an overlap of ${overlapHours} hours is not possible`,
      `use 0 to ${LONGEST_OVERLAP_HOURS} hours`,
      'overlapHours',
    );
  }
  const secret = newSecret();
  return await database.transaction(async (client) => {
    // First, because a renewal locks its family before its application.
    if (overlapHours === 0) await revokeFamilies(client, applicationId, 'secret rotated without overlap');
    const [row] = isApplicationId(applicationId)
      ? await rowsOf<{ until: Instant; organisation: string }>(
          client,
          `update application set secret_hash = $2, previous_secret_hash = secret_hash,
             previous_secret_until = now() + $3 * interval '1 microsecond'
           where id = $1 and revoked_at is null returning instant_of(previous_secret_until) as until, organisation_id as organisation`,
          [applicationId, fingerprint(secret), Math.round(overlapHours * HOUR)],
        )
      : [];
    if (!row) throw unknownApplication(applicationId);
    if (overlapHours === 0) await endAccessTokens(client, applicationId);
    await audit(client, actor, 'application.secret-rotated', applicationId, {
      organisation: row.organisation,
      overlapHours,
    });
    return { secret, previousUntil: row.until };
  });
}

/**
 * Revokes an application and its refresh tokens; false where it was revoked before. Every process refuses its access
 * tokens within seconds (`revocations.ts`). Throws `config-invalid` for an unknown application.
 */
export async function revokeApplication(database: Database, applicationId: string, actor: string): Promise<boolean> {
  if (!isApplicationId(applicationId)) throw unknownApplication(applicationId);
  return await database.transaction(async (client) => {
    // First, because a renewal locks its family before its application.
    await revokeFamilies(client, applicationId, 'application revoked');
    const [revoked] = await rowsOf<{ organisation: string }>(
      client,
      'update application set revoked_at = now() where id = $1 and revoked_at is null returning organisation_id as organisation',
      [applicationId],
    );
    if (revoked !== undefined) {
      await audit(client, actor, 'application.revoked', applicationId, revoked);
      return true;
    }
    const known = await rowsOf(client, 'select from application where id = $1', [applicationId]);
    if (known.length === 0) throw unknownApplication(applicationId);
    return false;
  });
}

/** The application that sent a request with its id and secret. */
export interface Authenticated {
  readonly applicationId: string;
  readonly organisationId: string;
  readonly projects: readonly string[] | null;
  /** The number that its access tokens have now. */
  readonly generation: number;
  /** The fingerprint of the secret. */
  readonly secretHash: Buffer;
}

/** Compared with in place of a missing fingerprint; no secret has it. */
const NO_FINGERPRINT = Buffer.alloc(32);

interface SecretRow {
  readonly organisation: string;
  readonly projects: string[] | null;
  readonly generation: number;
  readonly current: Buffer;
  readonly previous: Buffer | null;
}

/** Prepared, because each request for a token looks here. */
const SECRET_OF = statementOf<{ readonly id: string }>(
  `select organisation_id as organisation, projects, token_generation as generation, secret_hash as current,
     case when previous_secret_until > now() then previous_secret_hash end as previous
   from application where id = $id and revoked_at is null`,
  'application-secret',
);

/**
 * The application with this id and secret; undefined for an unknown or revoked application and for a wrong secret. The
 * work is the same in every case (one look-up, one hash, two comparisons), so the time it takes does not tell them apart.
 */
export async function authenticateApplication(
  database: Database,
  id: string,
  secret: string,
): Promise<Authenticated | undefined> {
  const given = fingerprint(secret);
  const { rows } = await database.pool.query<SecretRow>(SECRET_OF({ id: isApplicationId(id) ? id : '' }));
  const [row] = rows;
  const isCurrent = matches(given, row?.current ?? NO_FINGERPRINT);
  const isPrevious = matches(given, row?.previous ?? NO_FINGERPRINT);
  if (!row || !(isCurrent || isPrevious)) return undefined;
  const { organisation: organisationId, projects, generation } = row;
  return { applicationId: id, organisationId, projects, generation, secretHash: given };
}

const unknownApplication = (id: string): Error =>
  configInvalid(
    `there is no active application ${JSON.stringify(id)}`,
    'databridge application list shows all applications',
    'applicationId',
  );

/** An application as a JSON document, with each instant as text. */
export const applicationDocument = (row: Application) => ({
  ...row,
  createdAt: formatInstant(row.createdAt),
  previousSecretUntil: instantOrNull(row.previousSecretUntil),
  lastTokenAt: instantOrNull(row.lastTokenAt),
  lastRenewalAt: instantOrNull(row.lastRenewalAt),
  lastPushAt: instantOrNull(row.lastPushAt),
  revokedAt: instantOrNull(row.revokedAt),
});
