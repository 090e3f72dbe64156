import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { flowOfText, textOfFlow } from './oidc-flow.ts';

const withKey = (key: string) => ({
  digest: (text: string) => createHmac('sha256', key).update(text).digest('base64url'),
});
const flow = { state: 's', nonce: 'n', verifier: 'v', endsAt: 1_000 };

it('a flow counts until it ends, where the bridge began it', () => {
  const cookie = textOfFlow(flow, withKey('one'));
  expect(flowOfText(cookie, withKey('one'), 1_000)).toEqual(flow);
  expect(flowOfText(cookie, withKey('one'), 1_001)).toBeUndefined();
  expect(flowOfText(cookie, withKey('two'), 0)).toBeUndefined();
});

it('a flow that was changed does not count', () => {
  const [, mark = ''] = textOfFlow(flow, withKey('one')).split('.');
  const [longer = ''] = textOfFlow({ ...flow, endsAt: 2_000 }, withKey('two')).split('.');
  for (const cookie of [`${longer}.${mark}`, longer, `.${mark}`, '', '.', 'nonsense', `${longer}.`]) {
    expect(flowOfText(cookie, withKey('one'), 0)).toBeUndefined();
  }
});
