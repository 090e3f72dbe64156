import type { SimulatedAccount, SimulatedProduct } from './contract.ts';

/** The `connection` of a source: as the product declares it, or those of `fields` that are addresses or name user or client. */
export function connectionOf(
  { connectionOf: declared }: Pick<SimulatedProduct, 'connectionOf'>,
  { kind, fields }: { readonly kind: string; readonly fields: readonly string[] },
  { username, password }: SimulatedAccount,
  addresses: { readonly url: string; readonly authUrl: string },
): Readonly<Record<string, string>> {
  const { url, authUrl } = addresses;
  if (declared) return declared(url, { username, password }, authUrl, kind);
  const known = { url, authUrl, username, password, clientId: username, clientSecret: password };
  return Object.fromEntries(Object.entries(known).filter(([field]) => fields.includes(field)));
}
