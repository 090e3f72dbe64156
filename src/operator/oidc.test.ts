import { describe, expect, it } from 'vitest';
import { roleOfClaims } from './oidc.ts';

describe('the role of claims', () => {
  const roles = new Map([
    ['a', 'admin'],
    ['v', 'viewer'],
  ] as const);
  const role = (claims: Record<string, unknown>, roleClaim = 'roles') =>
    roleOfClaims({ iss: '', sub: '', aud: '', iat: 0, exp: 0, ...claims } as Parameters<typeof roleOfClaims>[0], {
      roleClaim,
      roles,
    });

  it('is the highest that a value maps to, in the claim or inside an object', () => {
    expect(role({ roles: ['v', 'a'] })).toBe('admin');
    expect(role({ roles: 'v' })).toBe('viewer');
    expect(role({ realm_access: { roles: ['a'] } }, 'realm_access.roles')).toBe('admin');
    expect(role({ 'https://x.example/roles': ['v'] }, 'https://x.example/roles')).toBe('viewer');
  });

  it.each([
    [{}],
    [{ roles: [] }],
    [{ roles: { a: true } }],
    [{ roles: [1, null, ['a']] }],
    [{ roles: 'admin' }],
    [{ roles: 'a v' }],
  ])('is none for %j', (claims) => {
    expect(role(claims)).toBeUndefined();
    expect(role(claims, 'constructor.name')).toBeUndefined();
  });
});
