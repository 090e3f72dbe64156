import { join } from 'node:path';
import { allPlatforms } from '../../../adapters/index.ts';
import { simulators } from '../../../adapters/simulators.ts';
import { asDeclared } from '../../../src/platform/contract.ts';
import type { Platform } from '../../../src/platform/contract.ts';
import type { SimulatedProduct } from '../../../src/simulator/contract.ts';

const platforms = await allPlatforms();

/** A registered platform with its simulator. */
export interface Subject {
  readonly platform: Platform;
  readonly product: SimulatedProduct;
}

export const PLATFORMS = join(import.meta.dirname, '../../../adapters/platforms');

/** Every platform of the registry, as the options for its simulator declare it. Throws for one without a simulator: nothing would prove it. */
export const subjects = (): Subject[] =>
  subjectsAsRegistered().map(({ platform, product }) => ({
    platform: declaredFor(platform, product),
    product,
  }));

/** Every platform of the registry, before the options of a source declare it. */
export const subjectsAsRegistered = (): Subject[] =>
  platforms.map((platform) => ({ platform, product: productOf(platform.name) }));

const declaredFor = (platform: Platform, { sourceOptions }: SimulatedProduct): Platform =>
  platform.declaredBy === undefined ? platform : asDeclared(platform, platform.options.parse(sourceOptions));

function productOf(name: string): SimulatedProduct {
  const product = simulators.find(({ platform }) => platform === name);
  if (product === undefined) throw new Error(`${name} has no simulator`);
  return product;
}
