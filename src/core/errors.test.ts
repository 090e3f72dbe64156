import { describe, expect, it } from 'vitest';
import {
  asBridgeError,
  BridgeError,
  configInvalid,
  contractBroken,
  credentialsRejected,
  isPermanent,
  isUnanswered,
  ownPace,
  rightMissing,
  throttled,
  tooCostly,
  tooMuch,
  tooMuchAtOnce,
  unsupported,
} from './errors.ts';

it('stays until somebody changes something where the source or the platform cannot do what was asked, and only there', () => {
  expect([unsupported('m', 'r'), configInvalid('m', 'r')].map(isPermanent)).toEqual([true, true]);
  expect([tooMuch('m'), contractBroken('m'), credentialsRejected('m', 'r')].map(isPermanent)).toEqual([
    false,
    false,
    false,
  ]);
});

describe('an error', () => {
  it.each([
    [{ code: 'throttled', retryAt: 5, stated: true }, () => throttled(5, 'm')],
    [{ code: 'throttled', retryAt: 5, stated: false }, () => throttled(5, 'm', false)],
    [{ code: 'throttled', retryAt: 5, stated: true, own: true }, () => ownPace(5, 'm')],
    [{ code: 'too-much' }, () => tooMuch('m')],
    [{ code: 'too-much', oneInstant: true }, () => tooMuchAtOnce('m')],
    [{ code: 'contract-broken' }, () => contractBroken('m')],
    [{ code: 'contract-broken', page: '<html>' }, () => contractBroken('m', '<html>')],
    [{ code: 'credentials-rejected', right: false }, () => credentialsRejected('m', 'r')],
    [{ code: 'credentials-rejected', right: true }, () => rightMissing('m', 'r')],
    [{ code: 'config-invalid' }, () => configInvalid('m', 'r')],
    [{ code: 'config-invalid', path: 'options.database' }, () => configInvalid('m', 'r', 'options.database')],
    [{ code: 'unsupported' }, () => unsupported('m', 'r')],
    [{ code: 'too-costly', path: 'options.x' }, () => tooCostly('m', 'options.x', false)],
    [{ code: 'too-costly', path: 'options.x', shorter: true }, () => tooCostly('m', 'options.x', true)],
  ])('tells the poll path what to do: %j', (fault, make) => {
    const error = make();
    expect(error.fault).toStrictEqual(fault);
    expect([error.code, error.message, error.name]).toEqual([fault.code, 'm', 'BridgeError']);
  });

  it('tells the operator what to do', () => {
    const given = [
      credentialsRejected('m', 'r'),
      rightMissing('m', 'r'),
      configInvalid('m', 'r'),
      unsupported('m', 'r'),
    ];
    expect(given.map(({ remedy }) => remedy)).toEqual(['r', 'r', 'r', 'r']);
    for (const { remedy } of [ownPace(5, 'm'), tooMuchAtOnce('m'), tooCostly('m', 'options.x', false)])
      expect(remedy).not.toHaveLength(0);
    expect(throttled(5, 'm').remedy).toBeUndefined();
  });

  it('has a cause only where one was given', () => {
    const cause = new Error('inner');
    expect(new BridgeError({ code: 'cancelled' }, 'm', { cause }).cause).toBe(cause);
    expect('cause' in new BridgeError({ code: 'cancelled' }, 'm')).toBe(false);
  });
});

it('any thrown value that is no such error is a bug of the bridge', () => {
  const own = tooMuch('m');
  expect(asBridgeError(own)).toBe(own);
  const thrown = new TypeError('x is not a function');
  expect(asBridgeError(thrown)).toMatchObject({ code: 'bug', message: 'x is not a function', cause: thrown });
  expect(asBridgeError('text')).toMatchObject({ code: 'bug', message: 'text', cause: 'text' });
});

it('a request is unanswered after a 5xx, after no answer in time and after an answer that broke off', () => {
  const reasons = ['name', 'refused', 'time-out', 'tls', 'reset', 'status', 'blocked', 'proxy'] as const;
  const unanswered = reasons.filter((why) => isUnanswered(new BridgeError({ code: 'unavailable', why }, 'm')));
  expect(unanswered).toEqual(['time-out', 'reset', 'status']);
  expect(isUnanswered(tooMuch('m'))).toBe(false);
});
