import { z } from 'zod';
import { OPERATOR_ROLES } from './core/operator-role.ts';
import type { OperatorRole } from './core/operator-role.ts';

/** `pumps-admin=admin` */
const MAPPED = /^([^=]+)=(viewer|operator|admin)$/;

const LOOPBACK = /^http:\/\/(?:localhost|127\.[\d.]+|\[::1\])(?:[:/]|$)/i;

const entriesOf = (text: string): readonly string[] => text.split(',').map((entry) => entry.trim());

/** Environment variables of the sign-in of operators by OpenID Connect. */
export const oidcFields = {
  DATABRIDGE_OIDC_ISSUER: z
    .url({ protocol: /^https?$/ })
    .refine((text) => text.startsWith('https:') || LOOPBACK.test(text), 'is not an address that begins with https://')
    .optional()
    .describe(
      'issuer at which operators sign in, as its discovery document names itself; without it operators sign in with passwords only',
    ),
  DATABRIDGE_OIDC_CLIENT_ID: z.string().optional().describe('client that the issuer knows the operator API as'),
  DATABRIDGE_OIDC_CLIENT_SECRET: z
    .string()
    .optional()
    .describe('secret of that client, or a reference like `${file:/run/secrets/oidc}`'),
  DATABRIDGE_OIDC_ROLE_CLAIM: z
    .string()
    .default('roles')
    .describe(
      'claim of the ID token that holds the roles or groups of an operator; dots lead into objects, as in `realm_access.roles`',
    ),
  DATABRIDGE_OIDC_ROLES: z
    .string()
    .refine(
      (text) => entriesOf(text).every((entry) => MAPPED.test(entry)),
      'is not a list like pumps-admin=admin,pumps=viewer',
    )
    .default('admin=admin,operator=operator,viewer=viewer')
    .describe(
      'the role here of each value of that claim, separated by commas; an operator without one may not sign in, with several it has the highest',
    ),
  DATABRIDGE_OIDC_ACR: z
    .string()
    .optional()
    .describe(
      'values of `acr`, separated by commas, of which the ID token must have one, such as those for a second factor; they are asked for; without it any sign-in at the issuer counts',
    ),
  DATABRIDGE_OIDC_ORGANISATIONS_CLAIM: z
    .string()
    .optional()
    .describe(
      'claim of the ID token that holds the ids of the organisations that an operator sees, `*` for all; without it an operator sees all, until `operator organisations` limits it',
    ),
} as const;

/** How operators sign in by OpenID Connect. */
export interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string | undefined;
  /** The secret, or a reference to it. */
  readonly clientSecret: string | undefined;
  readonly roleClaim: string;
  /** The strengths of a sign-in (`acr`) of which one is needed; undefined: any counts. */
  readonly acr: readonly string[] | undefined;
  /** Undefined: claims do not say which organisations an operator sees. */
  readonly organisationsClaim: string | undefined;
  /** The role of each value of the claim. */
  readonly roles: ReadonlyMap<string, OperatorRole>;
}

type Values = z.infer<z.ZodObject<typeof oidcFields>>;

/** Undefined where the settings name no issuer. */
export const oidcSettings = (values: Values): OidcSettings | undefined =>
  values.DATABRIDGE_OIDC_ISSUER === undefined
    ? undefined
    : {
        issuer: values.DATABRIDGE_OIDC_ISSUER,
        clientId: values.DATABRIDGE_OIDC_CLIENT_ID,
        clientSecret: values.DATABRIDGE_OIDC_CLIENT_SECRET,
        roleClaim: values.DATABRIDGE_OIDC_ROLE_CLAIM,
        acr: values.DATABRIDGE_OIDC_ACR === undefined ? undefined : entriesOf(values.DATABRIDGE_OIDC_ACR),
        organisationsClaim: values.DATABRIDGE_OIDC_ORGANISATIONS_CLAIM,
        roles: new Map(
          entriesOf(values.DATABRIDGE_OIDC_ROLES).flatMap((entry) => {
            const [, value, role] = MAPPED.exec(entry) ?? [];
            const known = OPERATOR_ROLES.find((one) => one === role);
            return value === undefined || known === undefined ? [] : [[value, known] as const];
          }),
        ),
      };
