import type { ClientBase } from 'pg';
import { SECOND } from '../core/instant.ts';
import type { Instant, Microseconds } from '../core/instant.ts';
import type { Database } from '../database/database.ts';
import { statementOf } from '../database/statement.ts';
import { audit } from './audit.ts';
import { endAccessTokens } from './refresh-families.ts';
import { fingerprint, newSecret, newSeed, successor } from './secret.ts';

// A family is a chain: each use of its newest token adds one link. The next token is computed from the used token and a
// stored seed. A client that repeats a use within the grace time therefore gets the same unused token at the end of the
// chain, however often and on however many hosts. The database refuses a second branch of a family.

/** A used token is still accepted for this long, because the answer to its first use may have been lost. */
export const GRACE: Microseconds = 30 * SECOND;

export interface RefreshToken {
  /** Opaque, 256 bits; only its hash is stored. */
  readonly token: string;
  /** A whole second. */
  readonly expiresAt: Instant;
}

export interface Renewed extends RefreshToken {
  readonly applicationId: string;
  readonly organisationId: string;
  readonly projects: readonly string[] | null;
  /** The number that access tokens of the application have now. */
  readonly generation: number;
}

/**
 * `unknown`: never issued, or deleted since. `expired`: its lifetime is over. `revoked`: its family or application is
 * revoked, or the secret that made it is no longer valid. `reused`: it was used again after the grace time, so its family was revoked now. `foreign`: it belongs to
 * another application than the credentials of the request.
 */
export interface RenewalRefused {
  readonly refused: 'unknown' | 'expired' | 'revoked' | 'reused' | 'foreign';
  /** The application of the token; undefined where the token is unknown. */
  readonly applicationId?: string;
}

/** How long refresh tokens live. */
export interface RefreshLifetimes {
  /** A token that is not used. */
  readonly unused: Microseconds;
  /** A family: all tokens that follow from one use of the secret. */
  readonly family: Microseconds;
}

const expiryOf = (now: Instant, madeAt: Instant, lifetimes: RefreshLifetimes): Instant =>
  Math.ceil(Math.min(now + lifetimes.unused, madeAt + lifetimes.family) / SECOND) * SECOND;

/** Prepared, because PostgreSQL takes longer to plan it than to run it. */
const NEW_FAMILY = statementOf<{
  readonly applicationId: string;
  readonly secretHash: Buffer;
  readonly now: Instant;
  readonly expiresAt: Instant;
  readonly hash: Buffer;
}>(
  `with family as (
     insert into refresh_family (application_id, secret_hash, created_at, expires_at)
     values ($applicationId, $secretHash, at_instant($now), at_instant($expiresAt)) returning id)
   insert into refresh_token (hash, family_id, generation, expires_at)
   select $hash, id, 1, at_instant($expiresAt) from family`,
  'refresh-family',
);

/** Creates a family with its first refresh token. */
export async function createRefreshToken(
  database: Database,
  given: {
    readonly applicationId: string;
    readonly secretHash: Buffer;
    readonly now: Instant;
    readonly lifetimes: RefreshLifetimes;
  },
): Promise<RefreshToken> {
  const token = newSecret();
  const expiresAt = expiryOf(given.now, given.now, given.lifetimes);
  const { applicationId, secretHash, now } = given;
  await database.pool.query(NEW_FAMILY({ applicationId, secretHash, now, expiresAt, hash: fingerprint(token) }));
  return { token, expiresAt };
}

export interface Renewal {
  readonly token: string;
  readonly now: Instant;
  readonly lifetimes: RefreshLifetimes;
  /** The application whose credentials the request carried: the token must belong to it. Undefined: no credentials. */
  readonly applicationId?: string | undefined;
  /** Address of the client, for the audit. */
  readonly address: string;
}

/**
 * Uses a refresh token and returns the newest token of its family; a new token is made where the used one was the newest.
 * Renewals of one family wait for each other. A revocation is committed although the renewal is refused.
 */
export async function renewRefreshToken(database: Database, renewal: Renewal): Promise<Renewed | RenewalRefused> {
  const hash = fingerprint(renewal.token);
  return await database.transaction(async (client) => {
    const family = await lockFamily(client, hash);
    if (!family) return { refused: 'unknown' };
    const { applicationId, organisationId, projects, generation } = family;
    if (renewal.applicationId !== undefined && renewal.applicationId !== applicationId)
      return { refused: 'foreign', applicationId };
    if (family.revoked) return { refused: 'revoked', applicationId };
    const [used, ...after] = await linksFrom(client, family.id, hash);
    if (used === undefined) return { refused: 'unknown' };
    if (used.usedAt !== null && renewal.now - used.usedAt > GRACE) {
      await revokeReused(client, family, used, renewal.address);
      return { refused: 'reused', applicationId };
    }
    const newest = after.at(-1);
    const next =
      newest === undefined
        ? await addLink(client, family, used, renewal)
        : { token: followSeeds(renewal.token, [used, ...after]), expiresAt: newest.expiresAt };
    if (next === undefined || next.expiresAt <= renewal.now) return { refused: 'expired', applicationId };
    return { ...next, applicationId, organisationId, projects, generation };
  });
}

interface Family {
  readonly id: number;
  readonly applicationId: string;
  readonly organisationId: string;
  readonly projects: readonly string[] | null;
  readonly generation: number;
  readonly createdAt: Instant;
  readonly revoked: boolean;
}

const LOCK_FAMILY = statementOf<{ readonly hash: Buffer }>(
  `select refresh_family.id, application_id as "applicationId", organisation_id as "organisationId", projects,
     token_generation as generation, instant_of(refresh_family.created_at) as "createdAt",
     refresh_family.revoked_at is not null or application.revoked_at is not null
       or refresh_family.secret_hash <> application.secret_hash
         and (refresh_family.secret_hash is distinct from previous_secret_hash or previous_secret_until <= now())
       as revoked
   from refresh_family join application on application.id = application_id
   where refresh_family.id = (select family_id from refresh_token where hash = $hash) for update of refresh_family`,
  'refresh-lock',
);

const lockFamily = async (client: ClientBase, hash: Buffer): Promise<Family | undefined> =>
  (await client.query<Family>(LOCK_FAMILY({ hash }))).rows[0];

interface Link {
  readonly generation: number;
  readonly expiresAt: Instant;
  readonly usedAt: Instant | null;
  readonly seed: Buffer | null;
}

const LINKS_FROM = statementOf<{ readonly familyId: number; readonly hash: Buffer }>(
  `select generation, instant_of(expires_at) as "expiresAt", instant_of(used_at) as "usedAt", successor_seed as seed
   from refresh_token
   where family_id = $familyId and generation >= (select generation from refresh_token where hash = $hash) order by generation`,
  'refresh-links',
);

/** The link of a token and all later links. A separate statement, because it must see links committed before the lock. */
const linksFrom = async (client: ClientBase, familyId: number, hash: Buffer): Promise<Link[]> =>
  (await client.query<Link>(LINKS_FROM({ familyId, hash }))).rows;

/** The newest token, computed from an older token and the seeds of the links between. */
const followSeeds = (token: string, links: readonly Link[]): string =>
  links.reduce((current, { seed }) => (seed === null ? current : successor(current, seed)), token);

/** Without its seed an old token leads to no newer token, not even for a thief with a copy of the database. */
const ADD_LINK = statementOf<{
  readonly familyId: number;
  readonly generation: number;
  readonly now: Instant;
  readonly seed: Buffer;
  readonly hash: Buffer;
  readonly expiresAt: Instant;
  readonly graceFrom: Instant;
}>(
  `with used as (
     update refresh_token set used_at = at_instant($now), successor_seed = $seed
     where family_id = $familyId and generation = $generation),
   family as (update refresh_family set expires_at = at_instant($expiresAt) where id = $familyId),
   forgotten as (
     update refresh_token set successor_seed = null
     where family_id = $familyId and successor_seed is not null and used_at < at_instant($graceFrom))
   insert into refresh_token (hash, family_id, generation, expires_at)
   values ($hash, $familyId, $generation::integer + 1, at_instant($expiresAt))`,
  'refresh-link',
);

async function addLink(
  client: ClientBase,
  { id: familyId, createdAt }: Family,
  used: Link,
  { token, now, lifetimes }: Renewal,
): Promise<RefreshToken | undefined> {
  const expiresAt = expiryOf(now, createdAt, lifetimes);
  if (used.expiresAt <= now || expiresAt <= now) return undefined;
  const seed = newSeed();
  const next = successor(token, seed);
  const { generation } = used;
  const hash = fingerprint(next);
  await client.query(ADD_LINK({ familyId, generation, now, seed, hash, expiresAt, graceFrom: now - GRACE }));
  return { token: next, expiresAt };
}

async function revokeReused(client: ClientBase, family: Family, used: Link, address: string): Promise<void> {
  const because = 'refresh token used again after the grace time';
  await client.query('update refresh_family set revoked_at = now(), revoked_because = $2 where id = $1', [
    family.id,
    because,
  ]);
  await endAccessTokens(client, family.applicationId);
  const detail = { family: family.id, generation: used.generation, because, address };
  await audit(client, `application:${family.applicationId}`, 'refresh-family.revoked', family.applicationId, detail);
}
