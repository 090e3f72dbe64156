import { expect, it } from 'vitest';
import { includesRole, OPERATOR_ROLES } from './operator-role.ts';

it('an operator may do what every role up to their own may do', () => {
  const may = OPERATOR_ROLES.map((role) => OPERATOR_ROLES.filter((needed) => includesRole(role, needed)));
  expect(may).toEqual([['viewer'], ['viewer', 'operator'], ['viewer', 'operator', 'admin']]);
});
