/** A viewer reads, an operator changes sources and backfills, an admin changes access too. Each may do all that those before it may. */
export const OPERATOR_ROLES = ['viewer', 'operator', 'admin'] as const;

export type OperatorRole = (typeof OPERATOR_ROLES)[number];

/** Whether an operator with a role may do what needs a role. */
export const includesRole = (role: OperatorRole, needed: OperatorRole): boolean =>
  OPERATOR_ROLES.indexOf(role) >= OPERATOR_ROLES.indexOf(needed);
