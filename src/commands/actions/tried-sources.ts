import { existsSync } from 'node:fs';
import type { SourceConfig } from '../../core/source/source.ts';
import { hasEmbeddedDatabase } from '../../database/running.ts';
import type { Platform } from '../../platform/contract.ts';
import type { Settings } from '../../settings.ts';
import { registeredSource } from '../../source/registered.ts';
import { besideWorkers, onBridge } from './bridge-at-hand.ts';
import type { AtHand } from './bridge-at-hand.ts';
import { platformOf, sourcesIn } from './source-files.ts';

/** A source that a command tries, and its platform. */
export interface Tried {
  readonly config: SourceConfig;
  readonly platform: Platform;
}

/**
 * Runs `work` on the sources in a file, in a directory or on standard input, or on the registered source of that name: what is
 * no path is a name. Prints the problems of files as `sourcesIn` does, and then does not run it.
 */
export async function tryingSources(
  given: { readonly pathOrName: string; readonly organisation?: string | undefined; readonly json: boolean },
  settings: Settings,
  work: (sources: readonly Tried[], atHand: AtHand) => Promise<void>,
): Promise<void> {
  const { pathOrName, organisation, json } = given;
  if (isName(pathOrName, settings)) {
    await onBridge(settings, async (bridge) => {
      const found = await registeredSource(bridge, { name: pathOrName, organisation });
      await work([found], { bridge });
    });
    return;
  }
  const sources = await sourcesIn(pathOrName, json);
  if (sources === undefined) return;
  const tried = await Promise.all(sources.map(async (config) => ({ config, platform: await platformOf(config) })));
  await besideWorkers(settings, (atHand) => work(tried, atHand));
}

/** Why a command does not take turns with the workers of a source, where it does not. */
export const whyAlone = (atHand: AtHand): string =>
  atHand.bridge === undefined ? atHand.why : 'the source is not registered';

/** Without a bridge there is no registered source, so the argument can only be meant as a path. */
const isName = (text: string, { databaseUrl, home }: Settings): boolean =>
  /^[a-z0-9][a-z0-9-]{0,62}$/.test(text) &&
  !existsSync(text) &&
  (databaseUrl !== undefined || hasEmbeddedDatabase(home));
