import { z } from 'zod';
import { rightMissing } from '../../../src/core/errors.ts';
import type { Http } from '../../../src/platform/contract.ts';
import { answer } from '../../../src/platform/answer.ts';
import { broken, entityId, isObject, jsonObject } from './answer.ts';

/** The user of the credentials, as far as it decides which devices may be listed. */
export interface User {
  readonly authority: 'TENANT_ADMIN' | 'CUSTOMER_USER';
  /** The path that lists the devices of this user. */
  readonly devicesPath: string;
}

const userAnswer = z.object({ authority: z.string(), customerId: z.unknown().optional() });

/** Asks for the user of the credentials; a user that cannot have devices is `credentials-rejected {right}`. */
export async function currentUser(http: Http): Promise<User> {
  const { data } = await http.get<unknown>('/api/auth/user');
  const { authority, customerId } = answer(userAnswer, data, 'ThingsBoard user');
  if (authority === 'TENANT_ADMIN') return { authority, devicesPath: '/api/tenant/deviceInfos' };
  if (authority === 'CUSTOMER_USER') {
    const { id } = answer(entityId, customerId, 'customer of the ThingsBoard user');
    return { authority, devicesPath: `/api/customer/${encodeURIComponent(id)}/deviceInfos` };
  }
  throw rightMissing(
    `a user with the authority ${authority} cannot read devices`,
    'Use a customer user the devices are assigned to, or a tenant administrator.',
  );
}

const PASSWORD_POLICY = '/api/noauth/userPasswordPolicy';

/** Asks for the password policy, which needs no user (thingsboard-java-client ce/spec/openapi.json, UserPasswordPolicy). */
export async function recognise(http: Http): Promise<boolean> {
  const { data } = await http.get<unknown>(PASSWORD_POLICY);
  return isObject(data) && typeof data['minimumLength'] === 'number';
}

/**
 * Checks that this is ThingsBoard, by its public password policy, which has a path of its own, then asks for the user.
 */
export async function identify(http: Http): Promise<{ product: string }> {
  const { status, data } = await http.get<unknown>(PASSWORD_POLICY, { expect: [400, 404, 405] });
  if (status !== 200) throw broken('this is not ThingsBoard: it has no password policy', data);
  jsonObject(data, 'this is not ThingsBoard: its password policy');
  const { authority } = await currentUser(http);
  return { product: `ThingsBoard, as ${authority}` };
}
