import { describe, expect, it } from 'vitest';
import { PasswordsBusy, hashOfPassword, isPassword } from './password.ts';

describe('the hash of a password', () => {
  it('is argon2id with the parameters of OWASP and a salt of its own', async () => {
    const [one, two] = await Promise.all([
      hashOfPassword('a horse on a staple'),
      hashOfPassword('a horse on a staple'),
    ]);
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
    expect(one).not.toBe(two);
    expect(await isPassword('a horse on a staple', one)).toBe(true);
    expect(await isPassword('a horse on a stable', one)).toBe(false);
  });

  it('is that of the reference implementation', async () => {
    // From the test vectors of the reference implementation of argon2: argon2id, 64 MiB, two passes.
    const vector = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
    expect(await isPassword('password', vector)).toBe(true);
    expect(await isPassword('Password', vector)).toBe(false);
  });

  it('is computed where there is none, and no password has it', async () => {
    expect(await isPassword('', null)).toBe(false);
  });

  it('is refused where too many wait, and computed again after that', async () => {
    const all = await Promise.allSettled(Array.from({ length: 40 }, () => isPassword('x', null)));
    const refused = all.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
    expect(refused).toHaveLength(40 - 22);
    expect(refused.every((reason) => reason instanceof PasswordsBusy)).toBe(true);
    expect(await isPassword('x', null)).toBe(false);
  });
});
