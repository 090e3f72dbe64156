import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { platforms } from '../../../adapters/index.ts';
import { asDeclared } from '../../../src/platform/contract.ts';
import type { Platform } from '../../../src/platform/contract.ts';
import type { SimulatedProduct } from '../../../src/simulator/contract.ts';

/** A registered platform with its simulator. */
export interface Subject {
  readonly platform: Platform;
  readonly product: SimulatedProduct;
}

export const PLATFORMS = join(import.meta.dirname, '../../../adapters/platforms');

/** Every platform of the registry, as the options for its simulator declare it. Throws for one without a simulator: nothing would prove it. */
export const subjects = async (): Promise<Subject[]> =>
  (await subjectsAsRegistered()).map(({ platform, product }) => ({
    platform: declaredFor(platform, product),
    product,
  }));

/** Every platform of the registry, before the options of a source declare it. */
export const subjectsAsRegistered = (): Promise<Subject[]> =>
  Promise.all(platforms.map(async (platform) => ({ platform, product: await productOf(platform.name) })));

const declaredFor = (platform: Platform, { sourceOptions }: SimulatedProduct): Platform =>
  platform.declaredBy === undefined ? platform : asDeclared(platform, platform.options.parse(sourceOptions));

async function productOf(name: string): Promise<SimulatedProduct> {
  const path = join(PLATFORMS, name, 'simulator.ts');
  if (!existsSync(path)) throw new Error(`${name} has no simulator.ts`);
  const exported = Object.values((await import(pathToFileURL(path).href)) as Record<string, unknown>);
  const product = exported.find((value): value is SimulatedProduct => isProduct(value) && value.platform === name);
  if (product === undefined) throw new Error(`${path} exports no SimulatedProduct of ${name}`);
  return product;
}

const isProduct = (value: unknown): value is SimulatedProduct =>
  typeof value === 'object' && value !== null && 'platform' in value && 'seriesOf' in value && 'open' in value;
