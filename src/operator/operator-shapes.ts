import { z } from 'zod';
import type { operatorTokenDocument } from '../access/operator-tokens.ts';
import type { operatorAccountDocument } from '../access/operators.ts';
import { OPERATOR_ROLES } from '../core/operator-role.ts';
import { shows } from './documents.ts';

/** The role of an operator. */
export const role = z.enum(OPERATOR_ROLES);
/** The organisations in a body. */
export const organisations = z
  .array(z.string().max(128))
  .min(1)
  .max(1000)
  .nullable()
  .describe('The only organisations it sees; null: all.');

/** An operator in examples. */
export const EXAMPLE = { name: 'anna', role: 'operator' as const, organisations: null };

/** An operator in answers. */
export const accountSchema = shows<ReturnType<typeof operatorAccountDocument>>()(
  z
    .object({
      name: z.string(),
      role,
      organisations: z.array(z.string()).nullable().describe('The only organisations it sees; null: all.'),
      tokens: z.int().describe('Personal tokens that are accepted now.'),
      createdAt: z.string(),
      disabledAt: z.string().nullable(),
    })
    .meta({
      id: 'OperatorAccount',
      examples: [{ ...EXAMPLE, tokens: 1, createdAt: '2026-11-01T08:00:00Z', disabledAt: null }],
    }),
);

/** A token in examples. */
export const TOKEN = {
  id: 'tok_0123456789abcdef0123',
  operator: 'anna',
  name: 'laptop',
  createdAt: '2026-11-22T10:00:00Z',
  expiresAt: '2027-02-20T10:00:00Z',
  lastUsedAt: null,
  revokedAt: null,
};
/** The fields of a token. */
export const tokenFields = {
  id: z.string(),
  operator: z.string(),
  name: z.string(),
  createdAt: z.string(),
  expiresAt: z.string(),
  lastUsedAt: z.string().nullable().describe('To the minute.'),
  revokedAt: z.string().nullable(),
};
/** A token in answers. */
export const tokenSchema = shows<ReturnType<typeof operatorTokenDocument>>()(
  z.object(tokenFields).meta({ id: 'OperatorToken', examples: [TOKEN] }),
);
