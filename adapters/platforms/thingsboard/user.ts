import { rightMissing } from '../../../src/core/errors.ts';
import type { Http } from '../../../src/platform/contract.ts';
import { broken, idOf, jsonObject } from './answer.ts';

/** Who the credentials belong to, as far as it decides what may be listed. */
export interface User {
  readonly authority: 'TENANT_ADMIN' | 'CUSTOMER_USER';
  /** Where this user's devices are listed. */
  readonly devicesPath: string;
}

/** Asks who we are; a user without devices of its own is `credentials-rejected {right}`. */
export async function currentUser(http: Http): Promise<User> {
  const { data } = await http.get<unknown>('/api/auth/user');
  const { authority, customerId } = jsonObject(data, 'ThingsBoard user');
  if (authority === 'TENANT_ADMIN') return { authority, devicesPath: '/api/tenant/deviceInfos' };
  if (authority === 'CUSTOMER_USER') {
    const id = encodeURIComponent(idOf(customerId, 'customer of the ThingsBoard user'));
    return { authority, devicesPath: `/api/customer/${id}/deviceInfos` };
  }
  if (typeof authority !== 'string') throw broken('ThingsBoard user: the answer names no authority', data);
  throw rightMissing(
    `a user with the authority ${authority} cannot read devices`,
    'Use a customer user the devices are assigned to, or a tenant administrator.',
  );
}

/** Whether this is ThingsBoard (its password policy is public and has a path of its own), then who we are in it. */
export async function identify(http: Http): Promise<{ product: string }> {
  const { status, data } = await http.get<unknown>('/api/noauth/userPasswordPolicy', { expect: [400, 404, 405] });
  if (status !== 200) throw broken('this is not ThingsBoard: it has no password policy', data);
  jsonObject(data, 'this is not ThingsBoard: its password policy');
  const { authority } = await currentUser(http);
  return { product: `ThingsBoard, as ${authority}` };
}
