import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { IDToken } from 'openid-client';
import { z } from 'zod';
import { signInByIdentity } from '../access/operator-oidc.ts';
import { clientOf, attemptsOf } from '../api/attempts.ts';
import { retryAfterHeader } from '../api/problem.ts';
import { OPERATOR_ROLES } from '../core/operator-role.ts';
import type { OperatorRole } from '../core/operator-role.ts';
import type { OidcSettings } from '../settings-oidc.ts';
import { sessionCookieOf } from './browser.ts';
import { oidcClientOf } from './oidc-client.ts';
import { flowOfText, textOfFlow } from './oidc-flow.ts';
import type { OidcFlow } from './oidc-flow.ts';
import type { ServerParts } from './parts.ts';
import { OperatorProblem } from './problem.ts';
import { beginAnswer, fromOf, sessionSchema } from './session-answer.ts';

/** Whether a browser asks for a page. */
const isPage = ({ headers }: FastifyRequest): boolean => headers.accept?.includes('text/html') ?? false;

const CALLBACK = '/api/v1/oidc/callback';

/** How long an operator may take at the issuer, s. */
const LONGEST_SECONDS = 600;

/** Sign-ins by the issuer that one address may begin or end in a minute. */
const PER_MINUTE = 60;

/** The highest role that the claims of an operator give it; undefined for none. */
export function roleOfClaims(
  claims: IDToken,
  { roleClaim, roles }: Pick<OidcSettings, 'roleClaim' | 'roles'>,
): OperatorRole | undefined {
  const given = textsOfClaim(claims, roleClaim).flatMap((one) => roles.get(one) ?? []);
  return OPERATOR_ROLES.findLast((role) => given.includes(role));
}

/** The organisations that the claims let an operator see, null for all; undefined where no claim says it. */
export function organisationsOfClaims(
  claims: IDToken,
  { organisationsClaim: claim }: Pick<OidcSettings, 'organisationsClaim'>,
): readonly string[] | null | undefined {
  if (claim === undefined) return undefined;
  const given = textsOfClaim(claims, claim);
  return given.includes('*') ? null : given;
}

/** The texts of a claim; dots of its name lead into objects. */
function textsOfClaim(claims: IDToken, claim: string): readonly string[] {
  const whole: unknown = claims[claim];
  const value =
    whole ??
    claim.split('.').reduce<unknown>((inner, name) => {
      const isObject = typeof inner === 'object' && inner !== null && Object.hasOwn(inner, name);
      return isObject ? (inner as Record<string, unknown>)[name] : undefined;
    }, claims);
  return [value].flat().filter((one) => typeof one === 'string');
}

/** The name that the claims suggest. */
function nameOfClaims({ preferred_username: username, email, sub }: IDToken): string {
  return [username, email].find((one): one is string => typeof one === 'string' && one !== '') ?? sub;
}

/** The routes of the sign-in by OpenID Connect, where the settings name an issuer: code flow with PKCE, state and nonce. */
export function addOidcRoutes(app: FastifyInstance, parts: ServerParts): void {
  const { database, settings, sealing, clock, log, attempts: by } = parts;
  const { oidc, publicOrigin } = settings.operator;
  if (oidc === undefined || publicOrigin === undefined) return;
  const typed = app.withTypeProvider<ZodTypeProvider>();
  const client = oidcClientOf(oidc, settings.egress);
  const attempts = attemptsOf(PER_MINUTE, { shared: { by, name: 'sign-ins at the provider' } });
  const session = sessionCookieOf(settings.operator);
  // The way back from the issuer begins at its site, so a strict cookie would not be sent.
  const flow = {
    name: `${session.name}-oidc`,
    options: { ...session.options, sameSite: 'lax', maxAge: LONGEST_SECONDS } as const,
  };

  function count(request: FastifyRequest): void {
    const wait = attempts.take(clientOf(request.ip));
    if (wait === 0) return;
    throw new OperatorProblem('too-many-requests', 'Too many sign-ins were begun from this address.', {
      remedy: 'Wait before you try again.',
      headers: retryAfterHeader(wait),
    });
  }

  /** The log has the cause; the answer has none of it, because it may hold what the issuer said. */
  function refused(request: FastifyRequest, error: unknown): OperatorProblem {
    const { message, code } = error as { message?: string; code?: string };
    log.warn({ reason: message, code, address: request.ip, request: request.id }, 'a sign-in by OIDC was refused');
    return new OperatorProblem('sign-in-refused', 'The sign-in at the issuer does not count.', {
      remedy: 'Begin again at /api/v1/oidc/start; the log of the service has the cause under the id of this request.',
    });
  }

  /** Ends the sign-in that a browser has begun. Throws the problem that refuses it. */
  const end = async (request: FastifyRequest, reply: FastifyReply): Promise<z.infer<typeof sessionSchema>> => {
    reply.clearCookie(flow.name, flow.options);
    const begun = begunFlow(request);
    const claims = await claimsOf(request, begun).catch((error: unknown) => {
      throw refused(request, error);
    });
    const identity = {
      issuer: oidc.issuer,
      subject: claims.sub,
      name: nameOfClaims(claims),
      role: roleOfClaims(claims, oidc),
      organisations: organisationsOfClaims(claims, oidc),
    };
    return await enter(request, reply, identity);
  };

  typed.get(
    '/api/v1/oidc/start',
    {
      config: { access: 'public', secret: true },
      schema: {
        operationId: 'startOidc',
        summary: 'Sign in at the issuer',
        description: 'Leads the browser to the issuer, which leads it back to the callback.',
        tags: ['Sessions'],
        response: { 302: z.null() },
      },
    },
    async (request, reply) => {
      count(request);
      const { buildAuthorizationUrl, calculatePKCECodeChallenge, randomNonce, randomPKCECodeVerifier, randomState } =
        await import('openid-client');
      const configuration = await client().catch((error: unknown) => {
        log.warn({ err: error, request: request.id }, 'the OIDC issuer cannot be asked');
        throw new OperatorProblem('unavailable', 'The issuer cannot be asked at present.', {
          remedy: 'Sign in with a password, or see the log of the service.',
          headers: retryAfterHeader(10),
        });
      });
      const begun = { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier() };
      const endsAt = clock.now() + LONGEST_SECONDS * 1_000_000;
      reply.setCookie(flow.name, textOfFlow({ ...begun, endsAt }, sealing), flow.options);
      const address = buildAuthorizationUrl(configuration, {
        redirect_uri: `${publicOrigin}${CALLBACK}`,
        scope: 'openid profile email',
        response_type: 'code',
        state: begun.state,
        nonce: begun.nonce,
        code_challenge: await calculatePKCECodeChallenge(begun.verifier),
        code_challenge_method: 'S256',
        ...(oidc.acr && { acr_values: oidc.acr.join(' ') }),
      });
      return await reply.redirect(address.href, 302);
    },
  );

  typed.get(
    CALLBACK,
    {
      config: { access: 'public', secret: true },
      schema: {
        operationId: 'endOidc',
        summary: 'The way back from the issuer',
        description:
          'Begins a session and sets its cookie. A browser that asks for `text/html` is sent to the console.',
        tags: ['Sessions'],
        response: { 200: sessionSchema },
      },
    },
    async (request, reply) => {
      count(request);
      const answer = await end(request, reply).catch((error: unknown) => {
        if (isPage(request) && error instanceof OperatorProblem) return undefined;
        throw error;
      });
      // A person is on the way to the console; a program reads the session.
      if (isPage(request)) return await reply.redirect(answer === undefined ? '/#/?refused=oidc' : '/', 303);
      return answer as z.infer<typeof sessionSchema>;
    },
  );

  function begunFlow(request: FastifyRequest): OidcFlow {
    const begun = flowOfText(request.cookies[flow.name] ?? '', sealing, clock.now());
    if (begun === undefined) throw refused(request, new Error('the browser began no sign-in, or too long ago'));
    return begun;
  }

  async function claimsOf(request: FastifyRequest, begun: OidcFlow): Promise<IDToken> {
    const { authorizationCodeGrant } = await import('openid-client');
    const address = new URL(request.url, publicOrigin);
    const tokens = await authorizationCodeGrant(await client(), address, {
      pkceCodeVerifier: begun.verifier,
      expectedState: begun.state,
      expectedNonce: begun.nonce,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    if (claims === undefined) throw new Error('the issuer gave no ID token');
    const { acr } = claims;
    if (oidc?.acr && !(typeof acr === 'string' && oidc.acr.includes(acr))) {
      throw new Error(`the sign-in at the issuer is not strong enough: its acr is ${JSON.stringify(acr)}`);
    }
    return claims;
  }

  async function enter(
    request: FastifyRequest,
    reply: FastifyReply,
    identity: Parameters<typeof signInByIdentity>[1],
  ): Promise<z.infer<typeof sessionSchema>> {
    const entered = await signInByIdentity(database, identity, fromOf(request));
    const seen = { address: request.ip, request: request.id };
    if ('refused' in entered) {
      log.warn({ ...seen, reason: entered.refused }, 'a sign-in by OIDC was refused');
      throw new OperatorProblem('sign-in-refused', 'The issuer knows you, and you have no role or organisation here.', {
        remedy:
          'Ask an admin for a role: DATABRIDGE_OIDC_ROLES maps values of the claim to roles; DATABRIDGE_OIDC_ORGANISATIONS_CLAIM, where it is set, names organisations.',
      });
    }
    log.info({ ...seen, operator: entered.name }, 'an operator signed in by OIDC');
    return await beginAnswer({ database, cookie: session }, reply, entered.secret);
  }
}
