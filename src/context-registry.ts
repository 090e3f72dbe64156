import { platforms } from '../adapters/index.ts';
import { kinds } from '../adapters/kinds.ts';
import { adaptersIn } from './loader.ts';
import type { Registry } from './platform/registry.ts';
import type { Settings } from './settings.ts';

/** Without adapters, for work that needs the platforms of this build alone. */
export const registry: Registry = { platforms, kinds };

/** The registry with the adapters that the operator of the bridge allows. */
export const registryFor = ({ adapters }: Pick<Settings, 'adapters'>): Registry =>
  adapters === undefined ? registry : { ...registry, adapters: adaptersIn(adapters) };
