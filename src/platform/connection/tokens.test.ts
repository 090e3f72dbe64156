import { describe, expect, it } from 'vitest';
import { credentialsRejected } from '../../core/errors.ts';
import type { Grant } from '../contract.ts';
import { memoryTokens } from './index.ts';

describe('tokens in memory', () => {
  const grant = (token: string): Grant => ({ token, expiresAt: undefined });

  it('replace a stale grant once for all callers that hold it', async () => {
    const kept = memoryTokens();
    const first = await kept.replace(undefined, async () => grant('a'));
    let obtained = 0;
    const obtain = async (previous: Grant | undefined): Promise<Grant> => {
      obtained += 1;
      return grant(`after ${previous?.token}`);
    };
    const together = await Promise.all([kept.replace(first, obtain), kept.replace(first, obtain)]);
    const late = await kept.replace(first, obtain);
    expect([...together, late].map(({ token }) => token)).toEqual(['after a', 'after a', 'after a']);
    expect(obtained).toBe(1);
    expect((await kept.current())?.token).toBe('after a');
  });

  it('keep the old grant when no new one can be obtained', async () => {
    const kept = memoryTokens();
    const first = await kept.replace(undefined, async () => grant('a'));
    await expect(kept.replace(first, () => Promise.reject(credentialsRejected('no', 'no')))).rejects.toThrow('no');
    expect(await kept.current()).toBe(first);
  });
});
